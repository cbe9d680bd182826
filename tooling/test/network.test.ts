import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { networkEnvironment } from '@queue/dev-postgres'

const repository = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)

/** The network settings of a machine behind a proxy with its own certificate authority. */
const networkVariables = {
  NODE_EXTRA_CA_CERTS: '/etc/authority.pem',
  SSL_CERT_FILE: '/etc/authority.pem',
  SSL_CERT_DIR: '/etc/authorities',
  HTTP_PROXY: 'http://proxy:3128',
  HTTPS_PROXY: 'http://proxy:3128',
  ALL_PROXY: 'http://proxy:3128',
  NO_PROXY: 'localhost',
  http_proxy: 'http://proxy:3128',
  https_proxy: 'http://proxy:3128',
  all_proxy: 'http://proxy:3128',
  no_proxy: 'localhost',
  npm_config_cafile: '/etc/authority.pem',
  NPM_CONFIG_REGISTRY: 'https://packages.example/',
  pnpm_config_registry: 'https://packages.example/',
}

describe('authorities, proxies and the settings of npm', () => {
  test('reach every task that turbo runs', async () => {
    const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
    const { stdout } = await run(process.execPath, [turbo, 'run', 'test', 'build', '--dry=json'], {
      cwd: repository,
      env: { PATH: process.env['PATH'], TURBO_TELEMETRY_DISABLED: '1', ...networkVariables },
      maxBuffer: 64 * 1024 * 1024,
    })
    const { globalCacheInputs } = JSON.parse(stdout) as {
      readonly globalCacheInputs: { readonly environmentVariables: { readonly passthrough: string[] | null } }
    }
    const passed = globalCacheInputs.environmentVariables.passthrough ?? []
    expect(passed.map((entry) => entry.replace(/=.*/, '')).sort()).toEqual(
      Object.keys(networkVariables).sort(),
    )
  })

  test('reach processes with their own environment, which get nothing else', () => {
    expect(
      networkEnvironment({ ...networkVariables, DATABASE_URL: 'postgres://', PATH: '/bin', MY_PROXY: 'x' }),
    ).toEqual(networkVariables)
  })
})

describe('a test', () => {
  test.each(['npm', 'npx'])('that accesses a registry with %s fails on every machine', async (program) => {
    const args = program === 'npm' ? ['view', 'turbo'] : ['--yes', 'a-package-that-nobody-has-cached']
    const failure = run(program, args, { timeout: 240_000 })
    await expect(failure).rejects.toMatchObject({ stderr: expect.stringMatching(/ENOTCACHED|ECONNREFUSED/) })
  })
})
