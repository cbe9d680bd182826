/**
 * `pnpm measure`: prints the size of the most read parts of the code as a table, or with `--json` as JSON. With `--since COMMIT`,
 * only later commits are counted, and the size of each package is printed beside its size at that commit. CONTRIBUTING.md
 * describes what adding a column, an endpoint or a setting takes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measurePaths } from './measure-paths.ts'
import { type MeasuredPackage, measurePackages, measureSource } from './measure-source.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, since: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help === true) {
  process.stdout.write('pnpm measure [--json] [--since COMMIT]\n')
  process.exit(0)
}
const directory = await mkdtemp(path.join(tmpdir(), 'queue-measure-'))
try {
  const paths = await measurePaths(directory)
  const source = await measureSource(values.since)
  const before = values.since === undefined ? undefined : await measurePackages(values.since)
  process.stdout.write(
    values.json === true
      ? `${JSON.stringify({ paths, source, packagesBefore: before }, null, 2)}\n`
      : `${table(paths, source)}\n${packageTable(source.packages, before)}`,
  )
} finally {
  await rm(directory, { recursive: true, force: true })
}

function table(
  paths: Awaited<ReturnType<typeof measurePaths>>,
  source: Awaited<ReturnType<typeof measureSource>>,
): string {
  const [longest, second] = source.functions.longest
  const rows: readonly (readonly [string, string])[] = [
    [
      'POST /jobs, from the socket to its INSERT',
      `${paths.postJobs.files.length} files, ${paths.postJobs.lines} lines`,
    ],
    ['claim, run, end', `${paths.claimToEnd.files.length} files, ${paths.claimToEnd.lines} lines`],
    ['longest function', `${longest?.lines} lines (${longest?.name}), ${second?.lines} (${second?.name})`],
    ['median function', `${source.functions.median} lines`],
    ['names that core/internal exports', `${source.internalExports}`],
    ['Kysely builder calls / sql templates', `${source.builderCalls} / ${source.sqlTemplates}`],
    ['commit subjects over 72 characters', `${source.longSubjects.over72} of ${source.longSubjects.all}`],
  ]
  return `${rows.map(([label, figure]) => `${label.padEnd(44)} ${figure}`).join('\n')}\n`
}

/** The hand-written lines of each package and of all, with the lines of the committed SQL, each beside the commit's. */
function packageTable(now: readonly MeasuredPackage[], before?: readonly MeasuredPackage[]): string {
  const withTotal = (packages: readonly MeasuredPackage[]) => [...packages, totalOf(packages)]
  const old = new Map(before && withTotal(before).map((each) => [each.name, each]))
  const row = (name: string, cells: readonly (string | number | undefined)[]): string =>
    `${name.padEnd(28)}${cells.map((cell) => String(cell ?? '').padStart(10)).join('')}`
  const lines = withTotal(now).map((each) => {
    const was = old.get(each.name)
    return row(each.name, [each.lines, was?.lines, each.sqlLines, was?.sqlLines])
  })
  const head = row('lines by hand, and of SQL', ['now', 'before', 'SQL', 'before'])
  return `${[head, ...lines].join('\n')}\n`
}

function totalOf(packages: readonly MeasuredPackage[]): MeasuredPackage {
  const sum = (member: 'lines' | 'sqlLines') => packages.reduce((total, each) => total + each[member], 0)
  return { name: 'total', lines: sum('lines'), sqlLines: sum('sqlLines') }
}
