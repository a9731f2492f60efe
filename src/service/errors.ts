/** The service cannot start as configured: the message says why, in terms of its options. */
export class ServiceConfigurationError extends Error {
  override readonly name = 'ServiceConfigurationError';
}
