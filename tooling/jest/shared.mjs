/**
 * What the set-up of a jest run leaves for its end; both run in the same process.
 * @type {{ offer?: import('../../packages/dev-postgres/src/index.ts').SharedServerOffer }}
 */
export const shared = {}
