/**
 * A test that asks a registry fails on every machine, and not only on the one without a network. Nobody listens on
 * port 9, and npm and pnpm ask nobody anyway.
 */
export const noRegistry = {
  npm_config_offline: 'true',
  npm_config_registry: 'http://127.0.0.1:9/',
  pnpm_config_offline: 'true',
  pnpm_config_registry: 'http://127.0.0.1:9/',
}
