// `pnpm release version`: turns the changesets into the version and the changelog of the next release.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { getReleasePlan } from '@changesets/get-release-plan'
import { runTool } from '../check-run/run-tool.ts'
import { readVersion, writeVersion } from './versions.ts'

type Plan = Pick<Awaited<ReturnType<typeof getReleasePlan>>, 'changesets'>

const kinds = { major: 'Breaking', minor: 'Added and changed', patch: 'Fixed' } as const

/** The section of the changelog for a release. Each changeset is one entry, under the largest change that it makes. */
export function renderChanges(
  { changesets }: Plan,
  { version, day }: { version: string; day: string },
): string {
  const sections = Object.entries(kinds).map(([kind, title]) => {
    const entries = changesets.filter(({ releases }) => largest(releases.map(({ type }) => type)) === kind)
    const lines = entries.map(({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`)
    return lines.length === 0 ? [] : [`### ${title}`, '', ...lines, '']
  })
  return [`## [${version}] - ${day}`, '', ...sections.flat()].join('\n')
}

function largest(types: readonly string[]): string {
  return Object.keys(kinds).find((kind) => types.includes(kind)) ?? 'none'
}

/** Puts the section behind that of what is not released. */
export function insertChanges(changelog: string, section: string): string {
  const previous = changelog.search(/^## \[\d/m)
  const [before, after] =
    previous === -1
      ? [`${changelog.trimEnd()}\n\n`, '']
      : [changelog.slice(0, previous), changelog.slice(previous)]
  return `${before}${section}${after === '' ? '' : `\n${after}`}`
}

/** Writes the next version and its changelog, and deletes the changesets. Resolves with the version. */
export async function prepareVersion(root: string, day: string): Promise<string> {
  const plan = await getReleasePlan(root)
  if (plan.releases.length === 0) throw new Error('there is no changeset, so there is nothing to release')
  const { passed, output } = await runTool({ directory: root, tool: 'changeset', args: ['version'] })
  if (!passed) throw new Error(output)
  const version = await readVersion(root)
  await writeVersion(root, version)
  const changelog = path.join(root, 'CHANGELOG.md')
  const section = renderChanges(plan, { version, day })
  await writeFile(changelog, insertChanges(await readFile(changelog, 'utf8'), section))
  return version
}
