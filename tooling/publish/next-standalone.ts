import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '@queue/dev-postgres'
import { createTestDatabase } from '@queue/testing'
import { blocksOf, runGuide } from '../guide/run-guide.ts'
import { peerVersions } from './range-ends.ts'
import { emptyProject, newcomer, npmInstall, print, run, type Trial } from './trial.ts'

/** The newest when this was written. React is a peer of Next.js. */
const nextPackages = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']

/** Requests the route twice, which must fail the second time: the same order cannot be inserted again. */
const requests = `
post() { curl --silent --write-out ' %{http_code}\\n' --data '{"order_id":"o_1"}' "$@" "http://127.0.0.1:$PORT/orders"; }
post --retry 60 --retry-connrefused --retry-delay 1
post
`

/** Builds the application of docs/bundling.md, and runs it from the folder that would be deployed. */
export async function tryNext(trial: Trial): Promise<void> {
  const project = await emptyProject(trial, 'next/project')
  const env = await newcomer(trial, 'next')
  await run(project, env, [...npmInstall, '@queue/core', ...peerVersions.newest, ...nextPackages])
  const database = await createTestDatabase()
  try {
    await database.pool.query('CREATE TABLE public.orders (id text PRIMARY KEY)')
    const output = await runGuide({
      blocks: [...(await blocksOfNext(trial)), { type: 'commands', text: requests }],
      directory: project,
      env: {
        ...env,
        DATABASE_URL: database.url,
        QUEUE_SCHEMA: database.schema,
        HOSTNAME: '127.0.0.1',
        PORT: String(await freePort()),
      },
    })
    assert.match(output, /"job":"[0-9a-f-]{36}"\} 201\n/)
    assert.match(output, / 500\n/)
    const { jobs } = await database.queue.list({})
    assert.deepEqual(
      jobs.map(({ kind }) => kind),
      ['ship_order'],
    )
    print(`built a Next.js application (${nextPackages[0]}, standalone) and ran it from a folder of its own`)
  } finally {
    await database.close()
  }
}

async function blocksOfNext({ root }: Trial) {
  const page = await readFile(path.join(root, 'docs/bundling.md'), 'utf8')
  const section = /^## Next\.js\n(?<text>[\s\S]*?)^## /m.exec(page)?.groups?.['text'] ?? ''
  return blocksOf(section)
}
