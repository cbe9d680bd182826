import { readFile, stat } from 'node:fs/promises'
import { PermanentFailure } from '@queue/executor'
import type { Logger } from '@queue/loop'
import { z } from 'zod'

/** The bounds that Standard Webhooks sets for a secret. */
const secretBytesMin = 24
const secretBytesMax = 64
/** A rotation needs two secrets at once, the current one and the next; four are more than enough. */
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
    /** The only origin that receives messages signed with these secrets. */
    origin: z.string().refine(isHttpOrigin, 'is not an origin, such as https://example.com'),
    secrets: z.array(secret).min(1).max(secretsMax),
    /** The tenants whose jobs may use these secrets. Default: only jobs without a tenant. */
    tenants: z.array(z.string().min(1).max(255)).min(1).optional(),
  }),
)

type SecretsFile = z.output<typeof secretsFile>

/** Asks for the secrets of one entry, for a job and a receiver. */
export interface SecretsRequest {
  /** The name of the entry in the file. */
  readonly name: string
  /** The tenant of the job; null: it has none. */
  readonly tenantId: string | null
  readonly url: URL
}

/** The secrets of the receivers, as currently in their file. */
export interface WebhookSecrets {
  /**
   * The secrets of the entry `name`; each signs the message. Throws `PermanentFailure` if `url` has another origin than the
   * entry: another receiver could otherwise forward the signed message as its own. Throws an Error if there is no such entry,
   * because it may be added later. An entry for other tenants counts as missing: otherwise a caller that may enqueue for one
   * tenant could have messages signed in the name of another.
   */
  secretsFor(request: SecretsRequest, logger: Logger): Promise<readonly Buffer[]>
}

/**
 * Reads the file, and reads it again whenever it has changed. If a changed file cannot be read, that is logged and the former
 * secrets stay in use. Rejects if the first read fails.
 */
export async function openWebhookSecrets(file: string): Promise<WebhookSecrets> {
  let version = await versionOf(file)
  let entries = await readSecrets(file)
  const refresh = async (logger: Logger): Promise<void> => {
    const currentVersion = await versionOf(file).catch(() => version)
    if (currentVersion === version) return
    version = currentVersion
    try {
      entries = await readSecrets(file)
    } catch (error) {
      logger.error('WEBHOOK_SECRETS_FILE has changed and cannot be read; the former secrets stay in use', {
        error,
      })
    }
  }
  return {
    secretsFor: async ({ name, tenantId, url }, logger) => {
      await refresh(logger)
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
      if (entry === undefined || !isForTenant(entry, tenantId)) {
        const audience = tenantId === null ? 'jobs without a tenant' : 'the tenant of the job'
        throw new Error(`WEBHOOK_SECRETS_FILE has no entry ${JSON.stringify(name)} for ${audience}`)
      }
      if (entry.origin === url.origin) return entry.secrets
      throw new PermanentFailure(
        `the secrets of ${JSON.stringify(name)} sign messages to ${entry.origin} only`,
      )
    },
  }
}

function isForTenant({ tenants }: SecretsFile[string], tenantId: string | null): boolean {
  return tenantId === null ? tenants === undefined : (tenants?.includes(tenantId) ?? false)
}

/** Identifies the content of the file. A projected secret of Kubernetes is a link whose target changes, so `stat` follows it. */
async function versionOf(file: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(file, { bigint: true })
  return `${ino} ${mtimeNs} ${size}`
}

/** Errors name the faults, and contain no values of the file. */
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
