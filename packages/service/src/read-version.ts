import { readFileSync } from 'node:fs'

/** The version in the package.json at `url`, for a program's `--version`. Throws if there is no such file. */
export function readVersion(url: URL): string {
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { readonly version: string }
  return version
}
