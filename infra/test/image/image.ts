import type { ImageApp } from '../../docker/image-steps.ts'

/** An image as whoever runs it sees it, whether an engine has built it or a test has made its files. */
export interface Image {
  start(options: StartOptions): Container
}

export type Images = Readonly<Record<ImageApp, Image>>

export interface StartOptions {
  /** The whole environment beside what the image sets. */
  readonly env: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** In place of the image's entry point. */
  readonly command?: readonly [string, ...string[]]
}

/** A process that was started from an image. */
export interface Container {
  signal(name: 'SIGTERM' | 'SIGKILL'): void
  /** How it has ended, once it has. */
  readonly ended: Promise<Ended>
}

export interface Ended {
  readonly code: number | null
  /** All that it has printed, on both streams. */
  readonly output: string
}

/** Runs a command of an image to its end. */
export function runToEnd(image: Image, options: StartOptions): Promise<Ended> {
  return image.start(options).ended
}

/** A process that hangs fails its test, and does not outlive it. */
export const containerMsMax = 240_000
