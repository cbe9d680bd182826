import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import type { PlannedJob } from '../plan.ts'
import { drawImage } from './draw-image.ts'
import { type HttpSink, startHttpSink } from './http-sink.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'

/** The report of the demo's servers. */
export interface SinkReport {
  readonly lines: readonly string[]
  /** A line for each wrong count. */
  readonly failures: readonly string[]
}

/** The servers for `--real`: for mail, images and webhooks. */
export interface Sinks {
  /** The environment variables with which the worker uses them. */
  readonly env: Readonly<Record<string, string>>
  readonly plan: readonly PlannedJob[]
  report(): Promise<SinkReport>
  close(): Promise<void>
}

const jobsOfKind = 20
/** Every sixth request for an image and every fourth webhook is rejected with 503. */
const imageRefusedEvery = 6
const webhookRefusedEvery = 4

export async function startSinks(directory: string): Promise<Sinks> {
  const imagesDirectory = path.join(directory, 'images')
  await rm(imagesDirectory, { recursive: true, force: true })
  await mkdir(imagesDirectory, { recursive: true })
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = new Webhook(secret)
  const delivered = new Map<string, number>()
  const image = drawImage(1_600, 1_200)
  const mail = await startMailSink()
  const images = await startHttpSink(imageRefusedEvery, (response) => void response.end(image))
  const webhooks = await startHttpSink(webhookRefusedEvery, (response, { headers, body }) => {
    try {
      webhook.verify(body, headers as Record<string, string>)
    } catch {
      return void response.writeHead(401).end()
    }
    const id = String(headers['webhook-id'])
    delivered.set(id, (delivered.get(id) ?? 0) + 1)
    response.writeHead(204).end()
  })
  const secretsFile = path.join(directory, 'webhooks.json')
  await writeFile(secretsFile, JSON.stringify({ demo: { origin: webhooks.url, secrets: [secret] } }), {
    mode: 0o600,
  })
  return {
    env: {
      EXECUTOR: 'real',
      EXECUTOR_KINDS: 'send_email,resize_image,summarize_text,webhook_delivery',
      SMTP_URL: mail.url,
      SMTP_TLS: 'off',
      EMAIL_FROM: 'demo@example.com',
      IMAGE_RESULTS: pathToFileURL(imagesDirectory).href,
      WEBHOOK_SECRETS_FILE: secretsFile,
      OUTGOING_ALLOW: `${images.host},${webhooks.host}`,
    },
    plan: planRealJobs(images.url, webhooks.url),
    report: async () =>
      reportOf({
        mail,
        images,
        webhooks,
        delivered,
        imagesDirectory,
        storedFiles: await readdir(imagesDirectory),
      }),
    close: async () => void (await Promise.all([mail, images, webhooks].map((sink) => sink.close()))),
  }
}

function planRealJobs(imagesUrl: string, hooksUrl: string): PlannedJob[] {
  return Array.from({ length: jobsOfKind }, (_, index): PlannedJob['body'][] => [
    {
      kind: 'send_email',
      payload: { to: `user${index}@example.com`, subject: `Invoice ${index}`, body: 'Thank you.' },
    },
    {
      kind: 'resize_image',
      payload: { source_url: `${imagesUrl}/${index}.png`, width: 320, height: 320, format: 'webp' },
    },
    { kind: 'summarize_text', payload: { text: sampleText, max_sentences: 2 } },
    { kind: 'webhook_delivery', payload: { url: hooksUrl, secret_name: 'demo', body: { order: index } } },
  ])
    .flat()
    .map((body) => ({ scenario: 'real', idempotencyKey: undefined, body: { ...body, max_attempts: 10 } }))
}

const sampleText =
  'A queue hands work to another process. The work is a row of a table. Somebody had coffee. A worker claims the row, does the ' +
  'work, and records its end. If the worker dies, another worker takes the row over.'

interface SinkState {
  readonly mail: MailSink
  readonly images: HttpSink
  readonly webhooks: HttpSink
  readonly delivered: ReadonlyMap<string, number>
  readonly imagesDirectory: string
  readonly storedFiles: readonly string[]
}

function reportOf({
  mail,
  images,
  webhooks,
  delivered,
  imagesDirectory,
  storedFiles,
}: SinkState): SinkReport {
  const rows = [
    ['mail', 'messages by their Message-ID', mail.messages.size, `${mail.deferred()} deferred`],
    ['images', `files in ${imagesDirectory}`, storedFiles.length, `${images.refused()} requests refused`],
    ['webhooks', 'deliveries by their webhook-id', delivered.size, `${webhooks.refused()} requests refused`],
  ] as const
  return {
    lines: rows.map(([name, label, count, rejected]) => `${name.padEnd(10)}${count} ${label}, ${rejected}`),
    failures: rows
      .filter(([, , count]) => count !== jobsOfKind)
      .map(([name, label, count]) => `${name}: ${count} ${label}, expected ${jobsOfKind}`),
  }
}
