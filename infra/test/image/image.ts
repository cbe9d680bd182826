import type { ImageApp } from '../../docker/image-steps.ts'

/** An image that can be started, either one that an engine has built or only its files, made by a test. */
export interface Image {
  start(options: StartOptions): Container
}

export type Images = Readonly<Record<ImageApp, Image>>

export interface StartOptions {
  /** The environment, in addition to what the image sets. */
  readonly env: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Replaces the entry point of the image. */
  readonly command?: readonly [string, ...string[]]
}

/** A process that was started from an image. */
export interface Container {
  signal(name: 'SIGTERM' | 'SIGKILL'): void
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>
}

export interface Ended {
  readonly code: number | null
  /** Its whole output, of both streams. */
  readonly output: string
}

/** Runs a command of an image until it ends. */
export function runToEnd(image: Image, options: StartOptions): Promise<Ended> {
  return image.start(options).ended
}

/** A process that runs longer than this, in milliseconds, is killed. */
export const containerMsMax = 240_000
