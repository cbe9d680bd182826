import { readFileSync } from 'node:fs'
import { ConfigError } from './exit-code.ts'

/** The oldest Node version for this code, the same as `engines` in every package.json. */
const oldest = { major: 22, minor: 18 } as const

/** Throws ConfigError if `version` (`22.18.0`) is older, because a missing function would later fail with an obscure error. */
export function assertNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return
  throw new ConfigError([`this is Node ${version}; accepted: ${oldest.major}.${oldest.minor} or later`])
}

/** The version in the package.json at `url`, for a program's `--version`. Throws if there is no such file. */
export function readVersion(url: URL): string {
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { readonly version: string }
  return version
}
