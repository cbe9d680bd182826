import { readFile } from 'node:fs/promises'
import { createClient } from '@queue/client'
import { usageFailure } from '@queue/commands'
import { failureOf } from '../failure.ts'
import type { Backend } from './backend.ts'

/** The options that select the backend. */
export interface BackendOptions {
  readonly api?: string
  readonly 'key-file'?: string
  readonly database?: string
  readonly schema?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Uses the options, otherwise the environment, where the API takes precedence unless the command prefers the database. */
export async function openBackend(
  options: BackendOptions,
  env: Environment,
  preferred: Backend['type'] = 'api',
): Promise<Backend> {
  if (options.api !== undefined && options.database !== undefined) {
    throw usageFailure('--api and --database cannot be combined', 'give one of them')
  }
  const databaseUrl = options.database ?? (await readDatabaseUrl(env))
  const isDatabase = options.database !== undefined || (preferred === 'database' && databaseUrl !== undefined)
  const apiUrl = options.api ?? (isDatabase ? undefined : nonEmpty(env['QUEUE_API_URL']))
  if (apiUrl !== undefined) return openApi(apiUrl, await readKey(options, env))
  if (databaseUrl !== undefined) return openDatabase(databaseUrl, { options, env })
  throw usageFailure(
    'neither an API nor a database is configured',
    'give --api URL or set QUEUE_API_URL; or give --database URL or set DATABASE_URL',
  )
}

/** The URL in DATABASE_URL, or in the file that DATABASE_URL_FILE names, as in the processes of a deployment. */
async function readDatabaseUrl(env: Environment): Promise<string | undefined> {
  const file = nonEmpty(env['DATABASE_URL_FILE'])
  const url = nonEmpty(env['DATABASE_URL'])
  if (url !== undefined || file === undefined) return url
  const content = await readFile(file, 'utf8').catch((cause: Error) => {
    throw usageFailure(`DATABASE_URL_FILE cannot be read: ${cause.message}`)
  })
  return nonEmpty(content)
}

function openApi(url: string, token: string | undefined): Backend {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageFailure('the URL of the API is not valid', 'it must begin with http:// or https://')
  }
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw usageFailure('the URL of the API contains a password', 'put the API key into QUEUE_API_KEY')
  }
  return {
    type: 'api',
    client: createClient<Readonly<Record<string, unknown>>>({ baseUrl: url, token }),
    close: async () => undefined,
  }
}

async function readKey(options: BackendOptions, env: Environment): Promise<string | undefined> {
  const path = options['key-file']
  if (path === undefined) return nonEmpty(env['QUEUE_API_KEY'])
  const key = await readFile(path, 'utf8').catch((cause: Error) => {
    throw usageFailure(`--key-file cannot be read: ${cause.message}`)
  })
  if (/^\S+$/.test(key.trim())) return key.trim()
  throw usageFailure('--key-file does not contain one key', 'the file must contain the key and nothing else')
}

async function openDatabase(
  connectionString: string,
  { options, env }: { readonly options: BackendOptions; readonly env: Environment },
): Promise<Backend> {
  if (!/^postgres(?:ql)?:\/\//.test(connectionString)) {
    throw usageFailure('the URL of the database is not valid', 'it must begin with postgres://')
  }
  if (options.database !== undefined && hasPassword(connectionString)) {
    throw usageFailure(
      '--database contains a password, which every user of this machine can see',
      'put the URL into DATABASE_URL, or the password into PGPASSWORD or ~/.pgpass',
    )
  }
  const { createQueue } = await import('@queue/core')
  const { databaseOf } = await import('@queue/core/internal')
  const schema = options.schema ?? nonEmpty(env['QUEUE_SCHEMA'])
  const queue = createQueue({
    connectionString,
    applicationName: 'queue-cli',
    poolMax: 2,
    ...(schema === undefined ? {} : { schema }),
  })
  const close = () => queue.close()
  try {
    const { status, databaseVersion, codeVersion, differingStep } = await queue.checkSchema()
    if (status === 'compatible') return { type: 'database', queue, close }
    const { schema: databaseSchema } = databaseOf(queue)
    const detail =
      status === 'different'
        ? `the schema "${databaseSchema}" is of a build that was not released: step ${differingStep} has another text`
        : `the schema "${databaseSchema}" is ${status}: it has version ${databaseVersion}, this release needs ` +
          `${codeVersion}`
    throw failureOf({ error: 'schema_mismatch', detail })
  } catch (error) {
    await close()
    throw error
  }
}

/** Whether a URL contains a password, in its user part or as a parameter. */
function hasPassword(url: string): boolean {
  return /^\w+:\/\/[^/@]*:[^/@]+@/.test(url) || /[?&]password=/i.test(url)
}

/** The value of a variable; undefined if it is empty. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}
