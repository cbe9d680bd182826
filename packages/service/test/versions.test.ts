import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { ConfigError } from '../src/exit-code.ts'
import { assertNodeVersion } from '../src/versions.ts'

test('only a Node.js version older than `engines` allows is refused, with one line', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } }
  const [, oldest = ''] = /^>=([\d.]+)$/.exec(engines.node) ?? []
  for (const version of [`${oldest}.0`, '22.19.1', '23.0.0', process.versions.node])
    expect(() => assertNodeVersion(version)).not.toThrow()
  for (const version of ['22.17.9', '21.20.0', '20.20.2', '9.0.0']) {
    expect(() => assertNodeVersion(version)).toThrow(ConfigError)
    expect(() => assertNodeVersion(version)).toThrow(`this is Node ${version}; accepted: ${oldest} or later`)
  }
})
