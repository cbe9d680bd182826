import { client } from '../api/client.ts'
import type { Act } from './act.ts'

export function pauseQueue(name: string): Act['run'] {
  return async () => {
    await client.pause(name)
    return { text: `${name} is paused: no further job of it starts.`, undo: resumeQueue(name) }
  }
}

export function resumeQueue(name: string): Act['run'] {
  return async () => {
    await client.resume(name)
    return { text: `${name} goes on.`, undo: pauseQueue(name) }
  }
}
