import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { findBareSuppressions } from '../repository/find-bare-suppressions.ts'
import { findBrokenLinks } from '../repository/find-broken-links.ts'
import { findMachinePaths } from '../repository/find-machine-paths.ts'
import { findManifestFaults } from '../repository/find-manifest-faults.ts'
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
  ])('%j leads somewhere', (text) => {
    expect(broken(text)).toEqual([])
  })

  test.each([
    '[a](nowhere.md)',
    '[a](docs/guide.md#third)',
    '[a](../README.md)',
    '[a](#nowhere)',
    '![a](docs/picture.png)',
    '[a]: nowhere.md',
  ])('%j leads nowhere', (text) => {
    expect(broken(text)).toHaveLength(1)
  })

  test('are followed from where the document is', () => {
    const text = '[up](../README.md) [beside](guide.md) [wrong](docs/guide.md)'
    const faults = findBrokenLinks([{ name: 'README.md', text: '' }, guide, { name: 'docs/more.md', text }])
    expect(faults).toEqual(['docs/more.md: the link to docs/guide.md leads nowhere'])
  })
})

describe('paths of a machine', () => {
  const places = ['/home/somebody', '/srv/checkout']

  test.each(['see /home/somebody/notes', '"/srv/checkout"', 'cd /srv/checkout/packages'])(
    'are found in %j',
    (text) => {
      const files = [{ name: 'a.md', text: `first\n${text}` }]
      expect(findMachinePaths(files, places)).toEqual(['a.md:2: names a path of this machine'])
    },
  )

  test.each(['/home/somebodyelse', 'https://example.com/home/somebody', './home/somebody', '/srv/checkouts'])(
    'are not seen in %j',
    (text) => {
      expect(findMachinePaths([{ name: 'a.md', text }], places)).toEqual([])
    },
  )
})

describe('a silenced rule', () => {
  const silence = (comment: string) => findBareSuppressions([{ name: 'a.ts', text: comment }])
  // In pieces, since this file is checked as well.
  const disable = ['// ox', 'lint-disable-next-line'].join('')
  const expectError = ['// @ts-', 'expect-error'].join('')

  test('needs its reason', () => {
    expect(silence(`${disable} no-new`)).toHaveLength(1)
    expect(silence(`${disable} no-new --`)).toHaveLength(1)
    expect(silence(expectError)).toHaveLength(1)
  })

  test('with its reason is fine', () => {
    expect(silence(`${disable} no-new -- a metric registers itself`)).toEqual([])
    expect(silence(`${expectError} a wrong payload must not compile`)).toEqual([])
  })
})

describe('a manifest', () => {
  const faultsOf = (manifest: object) =>
    findManifestFaults([{ name: 'packages/x/package.json', text: JSON.stringify(manifest) }])
  const sound = { name: '@queue/core', private: true, license: 'MIT' }

  test('that is sound has no fault', () => {
    const dependencies = { '@queue/core': 'workspace:*', zod: '4.6.7', pre: '1.0.0-beta.2' }
    expect(faultsOf({ ...sound, name: '@queue/executor', dependencies })).toEqual([])
  })

  test.each(['^4.0.0', '~4.0.0', '4', 'latest', '>=4.0.0', 'workspace:^', 'https://example.com/a.tgz'])(
    'must not let a dependency float: %s',
    (version) => {
      expect(faultsOf({ ...sound, devDependencies: { zod: version } })).toHaveLength(1)
    },
  )

  test('of a library that others install brings no second copy of what they have', () => {
    const library = { ...sound, private: false }
    for (const name of ['zod', 'pg', 'kysely']) {
      expect(faultsOf({ ...library, dependencies: { [name]: '1.2.3' } })).toHaveLength(1)
      expect(faultsOf({ ...library, peerDependencies: { [name]: '^1.0.0' } })).toEqual([])
      expect(faultsOf({ ...library, bin: './main.js', dependencies: { [name]: '1.2.3' } })).toEqual([])
    }
    expect(faultsOf({ ...library, dependencies: { '@types/pg': '^8.11.0' } })).toEqual([])
  })

  test('must not export by a wildcard', () => {
    expect(faultsOf({ ...sound, exports: { './*': './dist/*.js' } })).toHaveLength(1)
  })

  test('must not reach up or sideways in the layers', () => {
    const dependencies = { '@queue/testing': 'workspace:*' }
    expect(faultsOf({ ...sound, dependencies })).toHaveLength(1)
    expect(faultsOf({ ...sound, devDependencies: dependencies })).toEqual([])
    expect(faultsOf({ ...sound, name: '@queue/stranger' })).toHaveLength(1)
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
  ])('of %s must not name %s, for its tests neither', (name, dependency) => {
    const manifest = { ...sound, name: `@queue/${name}` }
    const named = { [`@queue/${dependency}`]: 'workspace:*' }
    expect(faultsOf({ ...manifest, dependencies: named })).toHaveLength(1)
    expect(faultsOf({ ...manifest, devDependencies: named })).toHaveLength(1)
  })

  test.each([{ typescript: '1.2.3' }, { older: 'npm:typescript@1.2.3' }])(
    'with a compiler of its own, %j, does not build with it',
    (devDependencies) => {
      const built = (build: string) => faultsOf({ ...sound, devDependencies, scripts: { build } })
      expect(built('tsc -b tsconfig.build.json')).toHaveLength(1)
      expect(built('node ../../node_modules/typescript/bin/tsc -b')).toEqual([])
    },
  )

  test('carries the licence', () => {
    expect(faultsOf({ name: '@queue/core' })).toHaveLength(1)
  })
})

test('the files of the repository are its tracked texts', async () => {
  const files = await readRepository(path.resolve(import.meta.dirname, '..', '..'))
  const names = files.map((file) => file.name)
  expect(names).toContain('tooling/test/repository.test.ts')
  expect(names.filter((name) => name.includes('node_modules/'))).toEqual([])
})
