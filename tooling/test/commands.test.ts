import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { renderSummary } from '../demo/summary.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

describe('the summary of the demo', () => {
  const stack = { apiUrl: 'http://127.0.0.1:1234', workerUrl: 'http://127.0.0.1:5678' }
  const submitted = { jobs: [], replays: 0, failures: [] }
  const followResult = { ended: [], failures: [] }

  test('contains the addresses of a stack that keeps running', () => {
    const summary = renderSummary({ stack, submitted, followResult, stay: true })
    for (const url of Object.values(stack)) expect(summary).toContain(url)
  })

  test('contains no address of a stack that has stopped', () => {
    expect(renderSummary({ stack, submitted, followResult, stay: false })).not.toContain('http')
  })
})

/** Commands of pnpm itself that the workflows run. */
const ofPnpm = ['audit', 'install']

describe('the commands of the repository', () => {
  test('are all that the workflows run', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const folder = path.join(repository, '.github/workflows')
    const texts = await Promise.all(
      (await readdir(folder)).map((file) => readFile(path.join(folder, file), 'utf8')),
    )
    const run = texts.flatMap((text) => [...text.matchAll(/pnpm@12 ([a-z:]+)/g)].map(([, name = '']) => name))
    expect(run.length).toBeGreaterThan(5)
    expect(run.filter((name) => !(name in scripts) && !ofPnpm.includes(name))).toEqual([])
  })

  test('send no telemetry and do not mention it on a machine without a telemetry setting', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    for (const script of Object.values(scripts)) expect(script).not.toMatch(/(?:^|&& )turbo /)

    const home = await mkdtemp(path.join(tmpdir(), 'queue-home-'))
    try {
      const { TURBO_TELEMETRY_DISABLED: _removed, ...inherited } = process.env
      const env = { ...inherited, HOME: home, XDG_CONFIG_HOME: home }
      const dry = [path.join(repository, 'tooling/build.ts'), '--dry=json']
      const { stdout, stderr } = await promisify(execFile)(process.execPath, dry, {
        cwd: repository,
        env,
        maxBuffer: 64 * 1024 * 1024,
      })
      expect(JSON.parse(stdout)).toMatchObject({ tasks: expect.any(Array) })
      expect(stderr).not.toContain('telemetry')
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })
})
