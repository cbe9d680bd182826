import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'

interface Job {
  readonly needs?: string | readonly string[]
  readonly 'timeout-minutes'?: number
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly env?: unknown }[]
}

interface Workflow {
  readonly permissions?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = path.resolve(import.meta.dirname, '..', '..', '.github/workflows')
const workflows = await Promise.all(
  (await readdir(folder)).map(
    async (file) => [file, parse(await readFile(path.join(folder, file), 'utf8')) as Workflow] as const,
  ),
)
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ file, name, job, workflow })),
)

describe('a job of the workflows', () => {
  test.each(jobs)('$file, $name: ends, and needs only jobs that exist', ({ job, workflow }) => {
    expect(job['timeout-minutes']).toBeGreaterThan(0)
    for (const needed of [job.needs ?? []].flat()) expect(Object.keys(workflow.jobs)).toContain(needed)
  })

  test.each(jobs)(
    '$file, $name: may write only if it releases, behind the tests',
    ({ file, job, workflow }) => {
      expect(workflow.permissions).toEqual({ contents: 'read' })
      if (job.permissions === undefined) return
      expect({ file, needs: job.needs, environment: job.environment }).toEqual({
        file: 'release.yml',
        needs: 'verify',
        environment: 'release',
      })
      expect(job.permissions).toMatchObject({ contents: 'read', 'id-token': 'write' })
    },
  )

  test.each(jobs)('$file, $name: puts no expression into a script, where it would be code', ({ job }) => {
    for (const { run = '' } of job.steps) expect(run).not.toContain('${{')
  })
})

test('the release workflow publishes and signs only through the script that has the dry run', () => {
  const runs = jobs.filter(({ file }) => file === 'release.yml').flatMap(({ job }) => job.steps)
  const scripts = runs.flatMap(({ run }) => (run === undefined ? [] : [run]))
  expect(scripts.filter((run) => / release /.test(run))).toEqual([
    'npx -y pnpm@12 release packages',
    'npx -y pnpm@12 release images',
  ])
  expect(scripts.filter((run) => /npm publish|cosign|buildx/.test(run))).toEqual([])
})
