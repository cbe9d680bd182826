/**
 * `pnpm measure`: prints the size of the most read parts of the code as a table, or with `--json` as JSON. With `--since COMMIT`,
 * only later commits are counted. CONTRIBUTING.md describes what adding a column, an endpoint or a setting takes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measurePaths } from './measure-paths.ts'
import { measureSource } from './measure-source.ts'

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
  process.stdout.write(
    values.json === true ? `${JSON.stringify({ paths, source }, null, 2)}\n` : table(paths, source),
  )
} finally {
  await rm(directory, { recursive: true, force: true })
}

function table(
  paths: Awaited<ReturnType<typeof measurePaths>>,
  source: Awaited<ReturnType<typeof measureSource>>,
): string {
  const [longest, second] = source.functions.longest
  const [largest] = source.packages
  const core = source.packages.find(({ name }) => name === 'packages/core')
  const rows: readonly (readonly [string, string])[] = [
    [
      'POST /jobs, from the socket to its INSERT',
      `${paths.postJobs.files.length} files, ${paths.postJobs.lines} lines`,
    ],
    ['claim, run, end', `${paths.claimToEnd.files.length} files, ${paths.claimToEnd.lines} lines`],
    ['longest function', `${longest?.lines} lines (${longest?.name}), ${second?.lines} (${second?.name})`],
    ['median function', `${source.functions.median} lines`],
    ['largest package', `${largest?.name} ${largest?.lines} lines; packages/core ${core?.lines}`],
    ['names that core/internal exports', `${source.internalExports}`],
    ['Kysely builder calls / sql templates', `${source.builderCalls} / ${source.sqlTemplates}`],
    ['commit subjects over 72 characters', `${source.longSubjects.over72} of ${source.longSubjects.all}`],
  ]
  return `${rows.map(([label, figure]) => `${label.padEnd(44)} ${figure}`).join('\n')}\n`
}
