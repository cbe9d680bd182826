import { readFileSync } from 'node:fs'

/**
 * The version that a package.json states, for a program's `--version`. Throws when there is none at `url`.
 */
export function readVersion(url: URL): string {
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { readonly version: string }
  return version
}
