import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'

import { noRegistry } from '../jest/no-registry.mjs'
import { publishedPackages } from '../packages/published-packages.ts'
import { findReleaseFaults } from '../release/find-release-faults.ts'
import { imageTargets } from '../release/plan.ts'
import { insertChanges, prepareVersion, renderChanges } from '../release/prepare-version.ts'
import { readReleaseSettings } from '../release/release-settings.ts'
import { readVersion } from '../release/versions.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const program = path.join(root, 'tooling/release/main.ts')

describe('a dry run of a release, without a registry', () => {
  let out: string
  let output: string
  beforeAll(async () => {
    out = await mkdtemp(path.join(tmpdir(), 'queue-release-'))
    const args = ['--conditions=@queue/source', program, '--dry-run', '--skip-checks', '--out', out]
    const env = { ...process.env, ...noRegistry, NODE_OPTIONS: '' }
    output = (await run(process.execPath, args, { cwd: root, env })).stdout
  })

  afterAll(() => rm(out, { recursive: true, force: true }))

  const commands = (start: string) =>
    output.split('\n').filter((line) => line.startsWith(`would run: ${start}`))

  test('prints how each package would be published, behind those that it needs', async () => {
    const published = commands('npm publish').map((line) => path.basename(line.split(' ')[4] ?? ''))
    const packages = await publishedPackages(root)
    expect(published).toHaveLength(packages.length)
    expect(commands('npm publish').every((line) => line.endsWith(' --provenance'))).toBe(true)
    const placeOf = (name: string) => published.findIndex((file) => file.includes(`-${name.split('/')[1]}-`))
    for (const { name, dependencies } of packages) {
      for (const needed of Object.keys(dependencies).filter((other) => other.startsWith('@queue/')))
        expect([name, needed, placeOf(needed) < placeOf(name)]).toEqual([name, needed, true])
    }
  })

  test('writes an SBOM of each package and image, and prints how it would be signed', async () => {
    const sboms = (await readdir(out)).filter((file) => file.endsWith('.cdx.json'))
    expect(sboms.length).toBeGreaterThan(imageTargets.length)
    for (const file of sboms) {
      const sbom = JSON.parse(await readFile(path.join(out, file), 'utf8')) as object
      expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version: '0.1.0' } } })
      expect(output).toMatch(new RegExp(`would run: cosign (?:sign-blob|attest) .*/${file}`))
    }
    const core = await readFile(path.join(out, sboms.find((file) => file.includes('-core.')) ?? ''), 'utf8')
    const { components } = JSON.parse(core) as { readonly components: readonly { readonly name: string }[] }
    expect(components.map(({ name }) => name)).toContain('kysely')
  })

  test('prints how each image would be built with its attestations, and signed by its digest', async () => {
    const { images } = await readReleaseSettings(root)
    for (const target of imageTargets) {
      const [build] = commands('docker buildx build').filter((line) => line.includes(`--target=${target} `))
      expect(build).toMatch(/--sbom=true --provenance=mode=max .*--push/)
      expect(commands('cosign sign --yes')).toContain(
        `would run: cosign sign --yes ${images}${target}@sha256:…`,
      )
    }
  })
})

test('a release outside of the workflow of its tag is refused', async () => {
  const env = { ...process.env, NODE_OPTIONS: '', GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'v0.1.0' }
  const args = [
    '--conditions=@queue/source',
    program,
    'packages',
    '--out',
    path.join(tmpdir(), 'queue-refused'),
  ]
  await expect(run(process.execPath, args, { cwd: root, env })).rejects.toMatchObject({
    stderr: expect.stringContaining('only the workflow of the tag'),
  })
})

test('the repository has no fault that would stop a release', async () => {
  expect(await findReleaseFaults(root)).toEqual([])
})

describe('a small workspace', () => {
  let workspace: string
  const files: Record<string, string> = {
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
    'package.json': '{\n  "name": "queue",\n  "version": "0.1.0",\n  "private": true\n}\n',
    'packages/core/package.json': '{ "name": "@queue/core", "version": "0.1.0" }',
    'packages/loop/package.json': '{ "name": "@queue/loop", "version": "0.1.0", "private": true }',
    'infra/docker/Dockerfile': 'ARG VERSION=0.1.0\n',
    'infra/helm/Chart.yaml': 'name: queue\nversion: 0.1.0\nappVersion: 0.1.0\n',
    'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\nNothing.\n',
    '.changeset/one.md': '---\n"@queue/core": minor\n---\n\nAdd a thing.\n',
  }

  const write = async (changed: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(changed)) {
      await mkdir(path.dirname(path.join(workspace, name)), { recursive: true })
      await writeFile(path.join(workspace, name), text)
    }
  }

  beforeAll(async () => {
    workspace = await mkdtemp(path.join(tmpdir(), 'queue-workspace-'))
    for (const name of ['release.json', '.changeset/config.json'])
      files[name] = await readFile(path.join(root, name), 'utf8')
    // changesets asks git for the root of the repository.
    await run('git', ['init', '--quiet', workspace])
  })

  afterAll(() => rm(workspace, { recursive: true, force: true }))

  test.each([
    [
      'a package in two groups',
      { '.changeset/config.json': '{ "fixed": [["@queue/core"], ["@queue/core"]] }' },
    ],
    ['a configuration with a wrong value', { '.changeset/config.json': '{ "fixed": "all" }' }],
    ['a changeset of no package', { '.changeset/two.md': '---\n"@queue/none": patch\n---\n\nNo.\n' }],
    ['settings with a wrong value', { 'release.json': '{ "scope": "queue" }' }],
    ['an image of another version', { 'infra/docker/Dockerfile': 'ARG VERSION=0.0.9\n' }],
    ['a chart of two versions', { 'infra/helm/Chart.yaml': 'version: 0.1.0\nappVersion: 0.1.1\n' }],
  ])('with %s is found', async (_description, changed) => {
    await write({ ...files, ...changed })
    expect(await findReleaseFaults(workspace)).toHaveLength(1)
    await rm(path.join(workspace, '.changeset'), { recursive: true })
  })

  test('gets one next version everywhere, and one entry in the changelog for each changeset', async () => {
    await write(files)
    expect(await findReleaseFaults(workspace)).toEqual([])
    expect(await prepareVersion(workspace, '2030-01-02')).toBe('0.2.0')
    expect(await findReleaseFaults(workspace)).toEqual([])
    expect(await readVersion(workspace)).toBe('0.2.0')
    expect(await readFile(path.join(workspace, 'packages/loop/package.json'), 'utf8')).toContain('"0.2.0"')
    expect(await readFile(path.join(workspace, 'CHANGELOG.md'), 'utf8')).toBe(
      '# Changelog\n\n## [Unreleased]\n\nNothing.\n\n## [0.2.0] - 2030-01-02\n\n### Added and changed\n\n- Add a thing.\n',
    )
    await expect(prepareVersion(workspace, '2030-01-02')).rejects.toThrow('there is no changeset')
  })
})

test('the changelog lists breaking changes first, and newer releases before older ones', () => {
  const changeset = (type: 'major' | 'patch', summary: string) => ({
    id: summary,
    summary,
    releases: [{ name: '@queue/core', type }],
  })
  const changesets = [changeset('patch', 'mend a\nand b'), changeset('major', 'drop c')]
  const section = renderChanges({ changesets }, { version: '2.0.0', day: '2030-01-02' })
  const changes = ['### Breaking', '- drop c', '### Fixed', '- mend a\n  and b', '']
  expect(section).toBe(['## [2.0.0] - 2030-01-02', ...changes].join('\n\n').replace(/\n\n$/, '\n'))
  const older = '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2029-01-02\n'
  expect(insertChanges(older, section).indexOf('[2.0.0]')).toBeLessThan(
    insertChanges(older, section).indexOf('[1.0.0]'),
  )
})
