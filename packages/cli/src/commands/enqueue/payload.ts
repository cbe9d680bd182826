import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { Failure, file, usageFailure } from '@queue/commands'
import type { Context } from '../../command.ts'
import { json, parseJson } from '../../json.ts'

/** The payload: on the command line, or in a file. */
export const payloadOptions = {
  payload: json('JSON', 'payload of the job'),
  'payload-file': file('file with the payload; - reads standard input'),
} as const

type PayloadContext = Context<{ readonly payload?: unknown; readonly 'payload-file'?: string }>

/** The payload, which is required. */
export async function payloadOf(context: PayloadContext): Promise<unknown> {
  const payload = await optionalPayload(context)
  if (payload === undefined) throw notOnePayload()
  return payload
}

/** The payload; undefined if none is given. */
export async function optionalPayload(context: PayloadContext): Promise<unknown> {
  const { payload, 'payload-file': path } = context.values
  if (path === undefined) return payload
  if (hasPayload(context)) throw notOnePayload()
  return readDocument(context, { path, option: '--payload-file' })
}

function hasPayload({ values }: PayloadContext): boolean {
  return 'payload' in values
}

function notOnePayload(): Failure {
  return usageFailure('exactly one payload is required', 'give --payload JSON or --payload-file FILE')
}

/** Reads the JSON document of a file, or of standard input for `-`. It may begin with a byte order mark. */
export async function readDocument(
  { readInput }: Pick<Context<unknown>, 'readInput'>,
  { path, option }: { readonly path: string; readonly option: string },
): Promise<unknown> {
  const read = path === '-' ? readInput() : readFile(path)
  const bytes = await read.catch((cause: Error) => {
    throw usageFailure(`${option} cannot be read: ${cause.message}`)
  })
  if (!isUtf8(bytes)) throw usageFailure(`${option} is not UTF-8`, 'save it as UTF-8')
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch (error) {
    throw error instanceof Failure ? usageFailure(`${option} ${error.message}`) : error
  }
}
