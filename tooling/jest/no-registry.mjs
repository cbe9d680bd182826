/**
 * Environment variables that make every access to a package registry fail, so that a test which needs one fails on every machine
 * and not only without a network. Nothing listens on port 9, and npm and pnpm are offline.
 */
export const noRegistry = {
  npm_config_offline: 'true',
  npm_config_registry: 'http://127.0.0.1:9/',
  pnpm_config_offline: 'true',
  pnpm_config_registry: 'http://127.0.0.1:9/',
}
