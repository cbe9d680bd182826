import { readFile } from 'node:fs/promises'
import { createClient } from '@queue/client'
import { Failure, usageFailure } from '../failure.ts'
import type { Door } from './door.ts'

/** What was said on the command line of the way to the queue. */
export interface Address {
  readonly api?: string
  readonly 'key-file'?: string
  readonly database?: string
  readonly schema?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Goes by the command line, else by the environment; there, the API comes before the database. Opens no connection yet. */
export async function openDoor(address: Address, env: Environment): Promise<Door> {
  if (address.api !== undefined && address.database !== undefined) {
    throw usageFailure('--api and --database are two ways to the queue', 'give one of them')
  }
  const apiUrl = address.api ?? (address.database === undefined ? given(env['QUEUE_API_URL']) : undefined)
  if (apiUrl !== undefined) return openApi(apiUrl, await readKey(address, env))
  const databaseUrl = address.database ?? given(env['DATABASE_URL'])
  if (databaseUrl !== undefined) return openDatabase(databaseUrl, { address, env })
  throw usageFailure(
    'there is no way to the queue',
    'give --api URL or set QUEUE_API_URL; or give --database URL or set DATABASE_URL',
  )
}

function openApi(url: string, token: string | undefined): Door {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageFailure('the URL of the API is none', 'it begins with http:// or https://')
  }
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw usageFailure('the URL of the API has a password in it', 'put the key into QUEUE_API_KEY')
  }
  return {
    way: 'api',
    client: createClient<Readonly<Record<string, unknown>>>({ baseUrl: url, token }),
    close: async () => undefined,
  }
}

async function readKey(address: Address, env: Environment): Promise<string | undefined> {
  const path = address['key-file']
  if (path === undefined) return given(env['QUEUE_API_KEY'])
  const key = await readFile(path, 'utf8').catch((cause: Error) => {
    throw usageFailure(`--key-file cannot be read: ${cause.message}`)
  })
  if (/^\S+$/.test(key.trim())) return key.trim()
  throw usageFailure('--key-file does not hold one key', 'the file has the key and nothing else')
}

async function openDatabase(
  connectionString: string,
  { address, env }: { readonly address: Address; readonly env: Environment },
): Promise<Door> {
  if (!/^postgres(?:ql)?:\/\//.test(connectionString)) {
    throw usageFailure('the URL of the database is none', 'it begins with postgres://')
  }
  if (address.database !== undefined && hasPassword(connectionString)) {
    throw usageFailure(
      '--database has a password in it, which every user of this machine can see',
      'put the URL into DATABASE_URL, or the password into PGPASSWORD or ~/.pgpass',
    )
  }
  const { createQueue } = await import('@queue/core')
  const schema = address.schema ?? given(env['QUEUE_SCHEMA'])
  const queue = createQueue({
    connectionString,
    applicationName: 'queue-cli',
    poolMax: 2,
    ...(schema === undefined ? {} : { schema }),
  })
  const close = () => queue.close()
  try {
    const { status, databaseVersion, codeVersion } = await queue.checkSchema()
    if (status === 'compatible') return { way: 'database', queue, close }
    const detail = `the schema "${queue.database.schema}" is ${status}: it has version ${databaseVersion}, this release ${codeVersion}`
    throw new Failure({ error: 'schema_mismatch', detail })
  } catch (error) {
    await close()
    throw error
  }
}

/** In the user's part, or as a parameter. */
function hasPassword(url: string): boolean {
  return /^\w+:\/\/[^/@]*:[^/@]+@/.test(url) || /[?&]password=/i.test(url)
}

/** A variable that is set to nothing is not set. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}
