import { endpointName, samples } from '../../target/adapt/adapter-translation.ts';
import { routeOf, type Translation } from '../../target/calls.ts';
import { type Profile, possibleChannels, usualChannel } from '../../target/profile.ts';
import { endpoints } from '../../vocabulary/requests.ts';
import type { RouteTemplate, RunDetails } from './exporting.ts';

/** How requests look on the wire: a sample of each is made, by map or adapter where there is one. */
export function routesOf(
  { profile, baseUrl }: { readonly profile: Profile; readonly baseUrl: URL },
  translation: Translation | undefined,
): RunDetails['routes'] {
  const [channel = usualChannel] = possibleChannels(profile.channel);
  const routes = endpoints.map((endpoint): [typeof endpoint, RouteTemplate] => {
    const call = samples[endpointName(endpoint)].call(channel);
    let wire: { readonly method: string; readonly path: string } = call;
    try {
      wire = translation?.request(call, 'Bearer sample-key') ?? call;
    } catch {
      // An adapter that cannot make the sample may make others still: then it is named as the interface has it.
    }
    return [endpoint, { method: wire.method, template: baseUrl.pathname + routeOf(wire.path, call.about) }];
  });
  return Object.fromEntries(routes) as RunDetails['routes'];
}
