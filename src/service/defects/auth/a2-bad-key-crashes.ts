import type { Defect } from '../defect.ts';

/** The owner of a key is used without a look at whether there is one. */
export const badKeyCrashes: Defect = {
  id: 'A2',
  grade: 1,
  title: 'An unknown API key gets 500 instead of 401',
  alterations: {
    parts: (parts) => ({
      ...parts,
      authenticator: {
        identify(apiKey, endpoint) {
          const caller = parts.authenticator.identify(apiKey, endpoint);
          if (apiKey !== undefined && caller === undefined) throw new TypeError('the key has no owner');
          return caller;
        },
      },
    }),
  },
};
