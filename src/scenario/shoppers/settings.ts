import { z } from 'zod';
import { fields } from '../../vocabulary/fields.ts';
import { durationSchema } from '../../vocabulary/quantity-schemas.ts';

/**
 * Every figure that shapes the behaviour of shoppers. "Ours" marks a default without a published source.
 * REES46 Marketing Platform, "eCommerce Events History in Cosmetics Shop", December 2019: 3,533,286 events in 839,812
 * sessions, about 4.2 a session; a view leads to the cart in 16.4 % of sessions.
 * Health and beauty shops in general: 5–20 % of sessions reach the cart, commonly 9–10 %.
 * Sessions are heavy-tailed, nearly all of a few requests (D. Menascé et al., "In search of invariants for e-business
 * workloads", ACM EC 2000).
 */

// Aborting, so that a share out of range is not also reported by the rules that compare shares.
const share = z.number().min(0, { abort: true }).max(1, { abort: true });
const factor = z.number().positive();

/**
 * A kind of shopper. All fields except `weight` are factors relative to the other personas; the population keeps the
 * figures set for it.
 */
const personaSchema = fields({
  weight: factor.describe('How many shoppers are of this kind, relative to the other weights.'),
  bounce: factor.default(1).describe('On the odds of leaving without trying a shade.'),
  shades: factor.default(1).describe('On the number of shades tried.'),
  cart: factor.default(1).describe('On the odds of showing cart intent after as many shades.'),
  reselect: factor.default(1).describe('On the odds of selecting a shade again.'),
  pace: factor
    .default(1)
    .describe('On think times. The one factor that is not evened out: 2 is twice as slow as `thinkMedian`.'),
});

type Persona = z.output<typeof personaSchema>;

/** Ours: the visitors of a try-on page. */
const defaultPersonas: Record<string, Persona> = {
  browser: { weight: 42, bounce: 1.8, shades: 0.8, cart: 0.4, reselect: 0.7, pace: 0.8 },
  explorer: { weight: 20, bounce: 0.4, shades: 2, cart: 0.8, reselect: 1, pace: 0.9 },
  comparer: { weight: 14, bounce: 0.5, shades: 1.2, cart: 1.6, reselect: 2.5, pace: 1.4 },
  decided: { weight: 14, bounce: 0.6, shades: 0.5, cart: 3, reselect: 0.8, pace: 1 },
  returning: { weight: 10, bounce: 0.7, shades: 0.7, cart: 2.5, reselect: 1.2, pace: 0.8 },
};

/** Ours: a shop that sells in Europe and North America. */
const defaultLocales: Record<string, number> = {
  'en-US': 34,
  'en-GB': 12,
  'de-DE': 11,
  'fr-FR': 10,
  'es-ES': 7,
  'it-IT': 7,
  'en-CA': 4,
  'fr-CA': 3,
  'nl-NL': 3,
  'pl-PL': 3,
  'pt-BR': 3,
  'sv-SE': 2,
  'ja-JP': 1,
};

export const shopperSettingsSchema = fields({
  personas: z
    .record(z.string().min(1), personaSchema)
    .refine((personas) => Object.keys(personas).length > 0, 'expected at least one persona')
    .default(defaultPersonas)
    .describe('Name → persona.'),
  bounce: share.default(0.25).describe('Share of sessions that are opened and left without a shade. Ours.'),
  shadesTried: fields({
    median: z.number().min(1).default(5).describe('Half of these shoppers try no more.'),
    mean: z.number().min(1).default(8).describe('Not below the median.'),
    cap: z.int().positive().default(60).describe('None tries more.'),
  })
    .refine(({ median, mean }) => mean >= median, {
      path: ['mean'],
      message: 'expected a mean not below the median, as a lognormal distribution has it',
    })
    .prefault({})
    .describe(
      'Distinct shades that a shopper tries who does not bounce, lognormal; no more than the product has. Ours.',
    ),
  reselect: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.2)
    .describe(
      'Chance that a selection is followed by one of a shade tried before, so that selections outnumber shades. Ours.',
    ),
  cartIntent: fields({
    rate: share
      .default(0.13)
      .describe(
        'Share of all sessions with it: between the 9–10 % common in the trade and the 16.4 % of REES46.',
      ),
    steepness: z
      .number()
      .min(0)
      .max(5)
      .default(0.8)
      .describe('The odds grow with the number of shades to this power. Ours.'),
    again: share.default(0.15).describe('Chance of a second cart intent. Ours.'),
  }).prefault({}),
  thinkMedian: durationSchema.default(2_500).describe('Median time before an event. Ours.'),
  thinkSigma: z
    .number()
    .min(0)
    .max(3)
    .default(0.8)
    .describe('Standard deviation of the logarithm of this time. Ours.'),
  pageMedian: durationSchema
    .default(300)
    .describe('Median time that the page itself takes before it opens a session or reads one back. Ours.'),
  thinkTime: z
    .number()
    .min(0)
    .default(1)
    .describe("Multiplies every time between a shopper's steps; 0.1 makes short runs of long visits."),
  actsPerRequest: z
    .tuple([factor, z.number().min(0), z.number().min(0)])
    .default([6, 3, 1])
    .describe('Relative weights of sending one, two or three events in one request. Ours.'),
  productZipf: z
    .number()
    .min(0)
    .max(3)
    .default(1)
    .describe("Exponent of Zipf's law for products. None is published; 0.7–1.2 is worth a sweep."),
  shadeZipf: z.number().min(0).max(3).default(1).describe('The same for the shades of one product.'),
  locales: z
    .record(z.string().regex(/^[a-z]{2}-[A-Z]{2}$/, 'expected a language tag of the form ll-CC'), factor)
    .refine((locales) => Object.keys(locales).length > 0, 'expected at least one locale')
    .default(defaultLocales)
    .describe('Language tag ll-CC → relative weight.'),
  patienceMedian: durationSchema
    .default(8_000)
    .describe('Median time that a shopper waits for one answer. Ours.'),
  patienceSigma: z
    .number()
    .min(0)
    .max(3)
    .default(0.5)
    .describe('Standard deviation of the logarithm of this time. Ours.'),
  listShades: share
    .default(0.3)
    .describe(
      "Chance that a visit lists the catalog's shades first, as a page that is not cached does. Ours.",
    ),
  readBack: share
    .default(0.5)
    .describe('Chance that the shop reads the session back after cart intent. Ours.'),
}).refine(({ bounce, cartIntent }) => cartIntent.rate <= 1 - bounce, {
  path: ['cartIntent', 'rate'],
  message: 'expected a share of sessions no larger than the share that does not bounce',
});

/** Settings with every default filled in; times in milliseconds. */
export type ShopperSettings = z.output<typeof shopperSettingsSchema>;
/** Settings as their author writes them: every field may be left out, durations may be text such as `2.5s`. */
export type ShopperSettingsInput = z.input<typeof shopperSettingsSchema>;
