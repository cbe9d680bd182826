import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runTool, type StepResult } from '../check-run/run-tool.ts'
import type { Faults } from '../repository/repository-file.ts'
import { readReleaseSettings } from '../release/release-settings.ts'
import { findContentFaults } from './find-content-faults.ts'
import { type PackedPackage, packPackages } from './pack-packages.ts'
import { unpack } from './unpack.ts'

/** Checks every published package in the form in which it would be published. The packages must be built. */
export async function checkPackages(root: string): Promise<StepResult> {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-packages-'))
  try {
    const packages = await packPackages(root, directory, await readReleaseSettings(root))
    const faults = await Promise.all(packages.map((packed) => findPackageFaults(packed, directory)))
    return { passed: faults.flat().length === 0, output: faults.flat().join('\n') }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Checks one packed package. It is unpacked in `directory`. */
export async function findPackageFaults(packed: PackedPackage, directory: string): Promise<Faults> {
  const { tarball } = packed
  const content = path.join(directory, path.basename(tarball, '.tgz'))
  await unpack(tarball, content)
  const run = (tool: string, args: readonly string[]) => runTool({ directory, tool, args })
  // Node can `require` our ES modules; the compiler's node16, which does not know that, is answered in docs/packages.md.
  const rules = [
    '--profile',
    'strict',
    '--ignore-rules',
    'cjs-resolves-to-esm',
    '--no-emoji',
    '--format',
    'ascii',
  ]
  const results = [
    await run('publint', [tarball, '--strict']),
    ...(packed.isLibrary ? [await run('attw', [tarball, ...rules])] : []),
  ]
  return [
    ...findContentFaults(await textsOf(content)),
    ...results.filter(({ passed }) => !passed).map(({ output }) => output.trim()),
  ].map((fault) => `${packed.name}: ${fault}`)
}

async function textsOf(directory: string) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Promise.all(
    files.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name)
      const name = path.relative(directory, file).replaceAll(path.sep, '/')
      return { name, text: await readFile(file, 'utf8') }
    }),
  )
}
