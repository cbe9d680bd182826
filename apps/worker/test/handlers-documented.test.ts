import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { builtInJobs } from '@queue/core'
import { createHandlers } from '@queue/handlers'
import { parseConfig } from '@queue/service'
import { workerConfig } from '../src/config.ts'

const document = await readFile(new URL('../../../docs/handlers.md', import.meta.url), 'utf8')

/** The code blocks of the document with this language. */
const blocks = (fence: string): string[] =>
  [...document.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => info === fence)
    .map(([, , code = '']) => code)

test('the environment of each recipe in docs/handlers.md has all variables that its kind needs', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-documented-'))
  const secret = path.join(directory, 'secret')
  const webhooks = path.join(directory, 'webhooks.json')
  await writeFile(secret, 'a secret')
  await writeFile(webhooks, blocks('json webhooks.json')[0] ?? '')
  const kinds = new Set<string>()
  for (const block of blocks('sh')) {
    const env = Object.fromEntries(
      block
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s)),
    )
    for (const [name, file] of [
      ['IMAGE_S3_SECRET_ACCESS_KEY_FILE', secret],
      ['WEBHOOK_SECRETS_FILE', webhooks],
    ] as const)
      if (name in env) env[name] = file
    const config = parseConfig(workerConfig, { DATABASE_URL: 'postgres://user@localhost/queue', ...env })
    const { EXECUTOR_KINDS, email, images, outgoing } = config
    const built = await createHandlers({
      kinds: EXECUTOR_KINDS,
      email,
      images,
      webhooks: config.webhooks,
      outgoing,
    })
    for (const { definition } of built.handlers) kinds.add(definition.kind)
    await built.close()
  }
  expect([...kinds].toSorted()).toEqual(builtInJobs.map(({ kind }) => kind).toSorted())
  await rm(directory, { recursive: true })
})

test('the body of each recipe in docs/handlers.md is valid for its kind', () => {
  const bodies = blocks('json').map((text) => JSON.parse(text) as { kind: string; payload: unknown })
  expect(bodies.map(({ kind }) => kind)).toEqual([
    'send_email',
    'resize_image',
    'webhook_delivery',
    'summarize_text',
  ])
  for (const { kind, payload } of bodies)
    expect(
      builtInJobs.find((definition) => definition.kind === kind)?.payload.safeParse(payload).error,
    ).toBeUndefined()
})
