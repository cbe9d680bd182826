/**
 * State that the global setup of a jest run shares with its teardown, which runs in the same process.
 * @type {{ offer?: import('../../packages/dev-postgres/src/index.ts').SharedServerOffer }}
 */
export const shared = {}
