import { readFile } from 'node:fs/promises'
import type { Context } from '../command.ts'
import { Failure, usageFailure } from '../failure.ts'
import { file, json, parseJson } from '../options.ts'

/** The input of a handler: on the command line, or in a file. */
export const payloadOptions = {
  payload: json('JSON', 'the input of its handler'),
  'payload-file': file('a file with the payload; - is standard input'),
} as const

type PayloadContext = Context<{ readonly payload?: unknown; readonly 'payload-file'?: string }>

/** The payload, which has to be there. */
export async function payloadOf(context: PayloadContext): Promise<unknown> {
  const given = await givenPayload(context)
  if (given === undefined) throw notOnePayload()
  return given
}

/** The payload; undefined where none is given. */
export async function givenPayload(context: PayloadContext): Promise<unknown> {
  const { payload, 'payload-file': path } = context.values
  if (path === undefined) return payload
  if (hasPayload(context)) throw notOnePayload()
  return readDocument(context, { path, option: '--payload-file' })
}

function hasPayload({ values }: PayloadContext): boolean {
  return 'payload' in values
}

function notOnePayload(): Failure {
  return usageFailure('this takes one payload', 'give --payload JSON or --payload-file FILE')
}

/** The JSON document of a file; `-` is standard input. */
export async function readDocument(
  { readInput }: Pick<Context<unknown>, 'readInput'>,
  { path, option }: { readonly path: string; readonly option: string },
): Promise<unknown> {
  const read = path === '-' ? readInput() : readFile(path, 'utf8')
  const given = await read.catch((cause: Error) => {
    throw usageFailure(`${option} cannot be read: ${cause.message}`)
  })
  try {
    return parseJson(given)
  } catch (error) {
    throw error instanceof Failure ? usageFailure(`${option} ${error.message}`) : error
  }
}
