import { readFile, stat } from 'node:fs/promises'
import { PermanentFailure } from '@queue/executor'
import type { Logger } from '@queue/loop'
import { z } from 'zod'

/** What Standard Webhooks demands of a secret. */
const secretBytesMin = 24
const secretBytesMax = 64
/** The current secret and the next one make two; more are not needed at once. */
const secretsMax = 4

const secret = z.string().transform((text, context) => {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1]
  const bytes = Buffer.from(base64 ?? '', 'base64')
  if (base64 !== undefined && bytes.length >= secretBytesMin && bytes.length <= secretBytesMax) return bytes
  const message = `is not whsec_ and the base64 of ${secretBytesMin} to ${secretBytesMax} bytes`
  context.addIssue({ code: 'custom', message, input: undefined })
  return z.NEVER
})

const secretsFile = z.record(
  z.string().min(1).max(100),
  z.strictObject({
    /** The only origin that gets messages signed by these secrets. */
    origin: z.string().refine(isHttpOrigin, 'is no origin, such as https://example.com'),
    secrets: z.array(secret).min(1).max(secretsMax),
    /** Whose jobs have their messages signed. Default: jobs that have no tenant. */
    tenants: z.array(z.string().min(1).max(255)).min(1).optional(),
  }),
)

type SecretsFile = z.output<typeof secretsFile>

/** Which secrets, for whom and for what. */
export interface WantedSecrets {
  /** The entry of the file. */
  readonly name: string
  /** The tenant of the job; null: it has none. */
  readonly tenantId: string | null
  readonly url: URL
}

/** The secrets of the receivers, as their file has them now. */
export interface WebhookSecrets {
  /**
   * The secrets of the entry `name`, each of which signs. Throws `PermanentFailure` when `url` is not of the entry's origin:
   * its secrets would sign for one receiver what another could pass on as its own. Throws an Error when there is no such entry,
   * which may be added. One that is for other tenants is as if it were not there: whoever may enqueue for one tenant could
   * have anything signed as another's.
   */
  secretsFor(wanted: WantedSecrets, logger: Logger): Promise<readonly Buffer[]>
}

/**
 * Reads the file, and reads it again whenever it has changed. A change that cannot be read is logged, and what was read
 * before goes on. Rejects when the file cannot be read at first.
 */
export async function openWebhookSecrets(file: string): Promise<WebhookSecrets> {
  let version = await versionOf(file)
  let entries = await readSecrets(file)
  const refresh = async (logger: Logger): Promise<void> => {
    const now = await versionOf(file).catch(() => version)
    if (now === version) return
    version = now
    try {
      entries = await readSecrets(file)
    } catch (error) {
      logger.error('the secrets of webhooks cannot be read; the former ones are used', { error })
    }
  }
  return {
    secretsFor: async ({ name, tenantId, url }, logger) => {
      await refresh(logger)
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
      if (entry === undefined || !isFor(entry, tenantId)) {
        const whose = tenantId === null ? 'jobs without a tenant' : 'the tenant of the job'
        throw new Error(`WEBHOOK_SECRETS_FILE has no entry ${JSON.stringify(name)} for ${whose}`)
      }
      if (entry.origin === url.origin) return entry.secrets
      throw new PermanentFailure(`the secrets of ${JSON.stringify(name)} sign for ${entry.origin} only`)
    },
  }
}

function isFor({ tenants }: SecretsFile[string], tenantId: string | null): boolean {
  return tenantId === null ? tenants === undefined : (tenants?.includes(tenantId) ?? false)
}

/** A projected secret of Kubernetes is a link whose target changes, so size and time are those of the target. */
async function versionOf(file: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(file, { bigint: true })
  return `${ino} ${mtimeNs} ${size}`
}

/** Errors name what is wrong, and hold no value of the file. */
async function readSecrets(file: string): Promise<SecretsFile> {
  const parsed = secretsFile.safeParse(parseJson(await readFile(file, 'utf8')))
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new Error(`WEBHOOK_SECRETS_FILE ${JSON.stringify(file)}: ${lines.join('; ')}`)
}

function isHttpOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
