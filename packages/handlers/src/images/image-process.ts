import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { PermanentFailure } from '@queue/executor'
import type {
  ImageProcessMessage,
  ImageProcessSettings,
  Transformation,
  TransformationReply,
} from './image-process/protocol.ts'

export interface ImageProcessOptions extends ImageProcessSettings {
  /** Milliseconds that one transformation may take. */
  readonly timeoutMs: number
}

/** The process runs the TypeScript source if this file is source, and the built file otherwise. */
const isSource = import.meta.url.endsWith('.ts')
const entry = fileURLToPath(new URL(`./image-main.${isSource ? 'ts' : 'js'}`, import.meta.url))

/** A process that transforms one image at a time. */
export class ImageProcess {
  readonly #child: ChildProcess
  readonly #options: ImageProcessOptions

  private constructor(child: ChildProcess, options: ImageProcessOptions) {
    this.#child = child
    this.#options = options
    // A process that is killed may still report an error.
    child.on('error', () => undefined)
    // It does not keep this process running.
    child.unref()
    child.channel?.unref()
  }

  /**
   * Starts a process, which has nothing of the environment of this one, and waits until it is ready: the machine, and not the
   * image, determines how long that takes.
   */
  static async start(options: ImageProcessOptions, signal: AbortSignal): Promise<ImageProcess> {
    const { PATH, LD_LIBRARY_PATH } = process.env
    const { memoryBytesMax } = options
    const child = fork(entry, [JSON.stringify({ memoryBytesMax } satisfies ImageProcessSettings)], {
      execArgv: isSource ? ['--disable-warning=ExperimentalWarning'] : [],
      env: { ...(PATH !== undefined && { PATH }), ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const started = new ImageProcess(child, options)
    const ended = new AbortController()
    child.once('exit', () => ended.abort(new Error('the process that resizes images could not be started')))
    try {
      await once(child, 'message', { signal: AbortSignal.any([signal, ended.signal]) })
      return started
    } catch {
      started.kill()
      throw signal.aborted ? signal.reason : ended.signal.reason
    }
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /**
   * The reply of the process. Throws `PermanentFailure` if it needs too much memory, and an Error if it takes too long or has
   * ended. It is then killed, as it is when the signal is aborted.
   */
  async transform(transformation: Transformation, signal: AbortSignal): Promise<TransformationReply> {
    const { timeoutMs, memoryBytesMax } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<TransformationReply>()
    const onMessage = (message: ImageProcessMessage): void => {
      if (typeof message === 'object') resolve(message)
      else
        reject(new PermanentFailure(`resizing the image needs more than ${memoryBytesMax} bytes of memory`))
    }
    const onAbort = (): void => reject(signal.reason)
    const onExit = (): void =>
      reject(
        new Error('the process that resizes the image has ended: the machine may have too little memory'),
      )
    const onLate = (): void => reject(new Error(`resizing the image took longer than ${timeoutMs} ms`))
    const timer = setTimeout(onLate, timeoutMs)
    signal.addEventListener('abort', onAbort)
    this.#child.once('message', onMessage).once('exit', onExit)
    this.#child.send(transformation, (error) => error !== null && onExit())
    try {
      return await promise
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      this.#child.off('message', onMessage).off('exit', onExit)
    }
  }
}
