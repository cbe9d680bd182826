import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runTool } from '../check-run/run-tool.ts'
import { renameScope } from '../packages/rename-scope.ts'

const sbomArguments = ['sbom', '--sbom-format=cyclonedx', '--sbom-spec-version=1.6', '--prod', '--split']

export interface SbomOptions {
  /** The names of workspace packages, as in the repository. */
  readonly names: readonly string[]
  readonly scope: string
  /** An existing folder. */
  readonly destination: string
}

/** Writes what each package installs, by the lockfile, in the format CycloneDX. Resolves with the file of each package. */
export async function writeSboms(
  root: string,
  { names, scope, destination }: SbomOptions,
): Promise<ReadonlyMap<string, string>> {
  const { passed, output } = await runTool({
    directory: root,
    tool: 'pnpm',
    args: [
      ...sbomArguments,
      `--out=${path.join(destination, '%s.cdx.json')}`,
      ...names.map((name) => `--filter=${name}`),
    ],
  })
  if (!passed) throw new Error(`cannot write the SBOMs:\n${output}`)
  const files = new Map(
    names.map((name) => [name, path.join(destination, `${name.slice(1).replace('/', '-')}.cdx.json`)]),
  )
  for (const file of files.values()) await writeFile(file, renameScope(await readFile(file, 'utf8'), scope))
  return files
}
