import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { findBareSuppressions } from '../repository/find-bare-suppressions.ts'
import { findBrokenLinks } from '../repository/find-broken-links.ts'
import { findMachinePaths } from '../repository/find-machine-paths.ts'
import { findManifestFaults } from '../repository/find-manifest-faults.ts'
import { findUnbuiltPrograms } from '../repository/find-unbuilt-programs.ts'
import { findUpwardImports } from '../repository/find-upward-imports.ts'
import { readRepository } from '../repository/repository-file.ts'

describe('links', () => {
  const guide = { name: 'docs/guide.md', text: '# One Thing\n\n## `Second` thing, again\n' }
  const code = { name: 'src/a.ts', text: '' }
  const broken = (text: string) => findBrokenLinks([{ name: 'README.md', text }, guide, code])

  test.each([
    '[guide](docs/guide.md)',
    '[guide](./docs/guide.md#one-thing)',
    '[thing](docs/guide.md#second-thing-again "title")',
    '[folder](docs/) and [folder](src)',
    '[site](https://example.com/nowhere.md) and [mail](mailto:a@example.com)',
    '# Here\n[up](#here)',
    '[guide]: docs/guide.md',
    '`[not a link](nowhere.md)`',
    '```\n[not a link](nowhere.md)\n```',
  ])('%j is valid', (text) => {
    expect(broken(text)).toEqual([])
  })

  test.each([
    '[a](nowhere.md)',
    '[a](docs/guide.md#third)',
    '[a](../README.md)',
    '[a](#nowhere)',
    '![a](docs/picture.png)',
    '[a]: nowhere.md',
  ])('%j is broken', (text) => {
    expect(broken(text)).toHaveLength(1)
  })

  test('are relative to the document', () => {
    const text = '[up](../README.md) [beside](guide.md) [wrong](docs/guide.md)'
    const faults = findBrokenLinks([{ name: 'README.md', text: '' }, guide, { name: 'docs/more.md', text }])
    expect(faults).toEqual(['docs/more.md: broken link to docs/guide.md'])
  })
})

describe('paths of a machine', () => {
  const machinePaths = ['/home/somebody', '/srv/checkout']

  test.each(['see /home/somebody/notes', '"/srv/checkout"', 'cd /srv/checkout/packages'])(
    'are found in %j',
    (text) => {
      const files = [{ name: 'a.md', text: `first\n${text}` }]
      expect(findMachinePaths(files, machinePaths)).toEqual(['a.md:2: contains a path of this machine'])
    },
  )

  test.each(['/home/somebodyelse', 'https://example.com/home/somebody', './home/somebody', '/srv/checkouts'])(
    'are not reported in %j',
    (text) => {
      expect(findMachinePaths([{ name: 'a.md', text }], machinePaths)).toEqual([])
    },
  )
})

describe('a suppression', () => {
  const silence = (comment: string) => findBareSuppressions([{ name: 'a.ts', text: comment }])
  // Split, because this file is checked as well.
  const disable = ['// ox', 'lint-disable-next-line'].join('')
  const expectError = ['// @ts-', 'expect-error'].join('')

  test('needs a reason', () => {
    expect(silence(`${disable} no-new`)).toHaveLength(1)
    expect(silence(`${disable} no-new --`)).toHaveLength(1)
    expect(silence(expectError)).toHaveLength(1)
  })

  test('with a reason is accepted', () => {
    expect(silence(`${disable} no-new -- a metric registers itself`)).toEqual([])
    expect(silence(`${expectError} a wrong payload must not compile`)).toEqual([])
  })
})

describe('a manifest', () => {
  const faultsOf = (manifest: object) =>
    findManifestFaults([{ name: 'packages/x/package.json', text: JSON.stringify(manifest) }])
  const valid = { name: '@queue/core', private: true, license: 'MIT' }

  test('that is valid has no fault', () => {
    const dependencies = { '@queue/core': 'workspace:*', zod: '4.6.7', pre: '1.0.0-beta.2' }
    expect(faultsOf({ ...valid, name: '@queue/executor', dependencies })).toEqual([])
  })

  test.each(['^4.0.0', '~4.0.0', '4', 'latest', '>=4.0.0', 'workspace:^', 'https://example.com/a.tgz'])(
    'must have exact versions: %s',
    (version) => {
      expect(faultsOf({ ...valid, devDependencies: { zod: version } })).toHaveLength(1)
    },
  )

  test('of a published library must not install a second copy of a shared package', () => {
    const library = { ...valid, private: false }
    for (const name of ['zod', 'pg', 'kysely']) {
      expect(faultsOf({ ...library, dependencies: { [name]: '1.2.3' } })).toHaveLength(1)
      expect(faultsOf({ ...library, peerDependencies: { [name]: '^1.0.0' } })).toEqual([])
      expect(faultsOf({ ...library, bin: './main.js', dependencies: { [name]: '1.2.3' } })).toEqual([])
    }
    expect(faultsOf({ ...library, dependencies: { '@types/pg': '^8.11.0' } })).toEqual([])
  })

  test('must not export by a wildcard', () => {
    expect(faultsOf({ ...valid, exports: { './*': './dist/*.js' } })).toHaveLength(1)
  })

  test('of a library must say the same for compilers that do not read its exports', () => {
    const exports = {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './deep': { types: './dist/deep.d.ts', default: './dist/deep.js' },
    }
    const typesVersions = { '*': { deep: ['./dist/deep.d.ts'] } }
    const library = { ...valid, private: false, exports, main: './dist/index.js', types: './dist/index.d.ts' }
    expect(faultsOf({ ...library, typesVersions })).toEqual([])
    expect(faultsOf(library)).toHaveLength(1)
    expect(faultsOf({ ...library, typesVersions, main: './dist/main.js' })).toHaveLength(1)
  })

  test('must not reach up or sideways in the layers', () => {
    const dependencies = { '@queue/testing': 'workspace:*' }
    expect(faultsOf({ ...valid, dependencies })).toHaveLength(1)
    expect(faultsOf({ ...valid, devDependencies: dependencies })).toEqual([])
    expect(faultsOf({ ...valid, name: '@queue/stranger' })).toHaveLength(1)
  })

  test.each([
    ['core', 'worker'],
    ['executor', 'worker'],
    ['telemetry', 'core'],
    ['worker', 'api-app'],
    ['client', 'service'],
    ['outbox', 'worker'],
    ['outbox', 'executor'],
    ['loop', 'worker'],
    ['worker-app', 'api-app'],
  ])('of %s must not name %s, not even for its tests', (name, dependency) => {
    const manifest = { ...valid, name: `@queue/${name}` }
    const named = { [`@queue/${dependency}`]: 'workspace:*' }
    expect(faultsOf({ ...manifest, dependencies: named })).toHaveLength(1)
    expect(faultsOf({ ...manifest, devDependencies: named })).toHaveLength(1)
  })

  test.each([{ typescript: '1.2.3' }, { older: 'npm:typescript@1.2.3' }])(
    'with its own compiler, %j, must not build with it',
    (devDependencies) => {
      const built = (build: string) => faultsOf({ ...valid, devDependencies, scripts: { build } })
      expect(built('tsc -b tsconfig.build.json')).toHaveLength(1)
      expect(built('node ../../node_modules/typescript/bin/tsc -b')).toEqual([])
    },
  )

  test('must name the licence', () => {
    expect(faultsOf({ name: '@queue/core' })).toHaveLength(1)
  })
})

test('the files of the repository are those that git tracks', async () => {
  const files = await readRepository(path.resolve(import.meta.dirname, '..', '..'))
  const names = files.map((file) => file.name)
  expect(names).toContain('tooling/test/repository.test.ts')
  expect(names.filter((name) => name.includes('node_modules/'))).toEqual([])
})

test('the migration program has one name, except in decisions, which stay as they were', async () => {
  const files = await readRepository(path.resolve(import.meta.dirname, '..', '..'))
  const otherNames =
    /(?<![-/\w])migrate (?:up|down|roles|doctor|status|plan|resume|keys|kinds|after-restore)\b/
  const wrong = files.filter(({ name, text }) => !name.startsWith('docs/decisions/') && otherNames.test(text))
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('pnpm compares engines with the Node that is installed here', async () => {
  const root = path.resolve(import.meta.dirname, '..', '..')
  const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<'node', string>>
  }
  const settings = await readFile(path.join(root, 'pnpm-workspace.yaml'), 'utf8')
  expect(settings).toContain(`\nnodeVersion: ${devDependencies.node}\n`)
})

describe('an import within core', () => {
  const faultsOf = (folder: string, text: string) =>
    findUpwardImports([{ name: `packages/core/src/${folder}/a.ts`, text }])

  test('may lead to its own floor and to those below', () => {
    const text =
      "import { b } from './b.ts'\nimport type { c } from '../domain/c.ts'\nimport { z } from 'zod'\n"
    expect(faultsOf('transitions', text)).toEqual([])
  })

  test.each([
    ['database', "import { x } from '../transitions/a.ts'\n"],
    ['database', "import type { X } from '../transitions/a.ts'\n"],
    ['domain', "export { x } from '../database/a.ts'\n"],
    ['transitions', "import { x } from '../facade/queue.ts'\n"],
    ['transitions', "const x = await import('../acts/a.ts')\n"],
    ['tenants', "import { x } from '../index.ts'\n"],
  ])('from %s must not lead up: %j', (folder, text) => {
    expect(faultsOf(folder, text)).toEqual([expect.stringContaining('which is above it')])
  })

  test('needs a folder that is on a floor', () => {
    expect(faultsOf('helpers', '')).toEqual([
      'packages/core/src/helpers/a.ts: its folder is on no floor of core',
    ])
  })
})

describe('a program of another package', () => {
  const started = "const main = new URL('../../apps/api/src/main.ts', import.meta.url)"
  const faultsOf = ({ text = started, manifest = {}, turbo = {} } = {}) =>
    findUnbuiltPrograms([
      { name: 'apps/api/package.json', text: '{ "name": "@queue/api-app" }' },
      { name: 'chaos/package.json', text: JSON.stringify(manifest) },
      { name: 'chaos/turbo.json', text: JSON.stringify(turbo) },
      { name: 'chaos/test/start.ts', text },
    ])

  test.each([started, "const main = new URL('../../apps/api/dist/main.js', import.meta.url)"])(
    'must be built before the tests that start it: %s',
    (text) => {
      expect(faultsOf({ text })).toEqual([
        'chaos/turbo.json: its task test depends on @queue/api-app#build, which chaos/test/start.ts starts',
      ])
    },
  )

  test.each([
    { manifest: { devDependencies: { '@queue/api-app': 'workspace:*' } } },
    { turbo: { tasks: { test: { dependsOn: ['^build', '@queue/api-app#build'] } } } },
    { text: "const name = 'apps/api/src/main.ts'" },
  ])('is built: %j', (repository) => {
    expect(faultsOf(repository)).toEqual([])
  })
})
