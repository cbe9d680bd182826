import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createTestDatabase } from '@queue/testing'
import { blocksFor, blocksOf, type GuideBlock, managersOf, runGuide } from '../guide/run-guide.ts'
import { pathWith } from './package-managers.ts'
import { emptyFolder, newcomer, print, type Trial } from './trial.ts'

/** From the empty folder to the end of the first job. */
const firstJobSecondsMax = 180

/** Carries out docs/guide.md with each package manager, from an empty folder and empty caches. */
export async function followGuide(trial: Trial): Promise<void> {
  const blocks = blocksOf(await readFile(path.join(trial.root, 'docs/guide.md'), 'utf8'))
  for (const manager of managersOf(blocks)) await followWith(trial, blocks, manager)
}

async function followWith(trial: Trial, blocks: readonly GuideBlock[], manager: string): Promise<void> {
  const name = manager.replaceAll(' ', '-').toLowerCase()
  const directory = await emptyFolder(trial, `guide-${name}`)
  const PATH = await pathWith(trial, manager)
  const database = await createTestDatabase({ schema: 'elsewhere' })
  try {
    const env = { ...(await newcomer(trial, name)), PATH, DATABASE_URL: database.url }
    const { untilFirstJob, others } = split(blocksFor(blocks, manager))
    const started = performance.now()
    const first = await runGuide({ blocks: untilFirstJob, directory, env })
    const seconds = (performance.now() - started) / 1_000
    const rest = await runGuide({ blocks: others, directory, env })
    assert.ok(first.includes("succeeded { sent: 'i_1' }"), first)
    assert.ok(rest.includes("succeeded { sent: 'r_1' }"), rest)
    assert.match(rest, /pass 1\n/)
    print(`${manager}: from an empty folder to the end of the first job in ${seconds.toFixed(0)} s`)
    assert.ok(seconds <= firstJobSecondsMax, `${manager} took more than ${firstJobSecondsMax} s`)
  } finally {
    await database.close()
  }
}

/** Divides the guide behind the commands that enqueue the first job and wait for its end. */
function split(blocks: readonly GuideBlock[]) {
  const end =
    blocks.findIndex(({ type, text }) => type === 'commands' && text.includes('node enqueue.js')) + 1
  return { untilFirstJob: blocks.slice(0, end), others: blocks.slice(end) }
}
