// Standard output: as a stream that loses nothing without an error.
import { createWriteStream, fstatSync } from 'node:fs'
import { Failure } from '../failure.ts'

/** A stream that may be a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/**
 * Writes a text. Resolves once it was written, or once the reader of a pipe is gone, which is no failure (`| head`).
 * Throws `output_failed` where it could not be written, such as to a full disk.
 */
export async function writeTo(output: Output, text: string): Promise<void> {
  const error = await new Promise<Error | null | undefined>((resolve) => output.write(text, resolve))
  if (error instanceof Error && !isReaderGone(error)) {
    throw new Failure({ error: 'output_failed', detail: `the output could not be written: ${error.message}` })
  }
}

/** Whether a write failed because nobody reads the pipe any more. */
export function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE'
}

/**
 * The standard output of this process. Node's own stream for files ignores that a nearly full disk takes only the
 * beginning of a text.
 */
export function standardOutput(): Output {
  const target = fstatSync(process.stdout.fd)
  const isFile = target.isFile() || (target.isCharacterDevice() && !process.stdout.isTTY)
  return isFile ? createWriteStream('', { fd: process.stdout.fd }) : process.stdout
}
