import { client } from '../api/client.ts'
import { shortId } from '../ui/format.ts'
import type { Act, Mutation } from './act.ts'
import type { ActCode } from './code.ts'
import { cancelAct } from './job-acts.ts'

export function pauseSchedule(name: string): Mutation {
  return {
    doing: `Pausing ${name}`,
    run: async () => {
      await client.pauseSchedule(name)
      return { text: `${name} is paused.`, undo: resumeSchedule(name), code: codeOf(name, 'pause') }
    },
  }
}

export function resumeSchedule(name: string): Mutation {
  return {
    doing: `Resuming ${name}`,
    run: async () => {
      await client.resumeSchedule(name)
      return { text: `${name} goes on from now.`, undo: pauseSchedule(name), code: codeOf(name, 'resume') }
    },
  }
}

function codeOf(name: string, verb: 'pause' | 'resume'): ActCode {
  const path = `/schedules/${encodeURIComponent(name)}/${verb}`
  return { method: 'POST', path, typescript: `await client.${verb}Schedule(${JSON.stringify(name)})` }
}

export function runNowAct(name: string): Act {
  return {
    title: `Run ${name} now?`,
    effect: 'One job of it is enqueued at once. Its own times stay as they are.',
    confirm: 'Run now',
    code: {
      method: 'POST',
      path: `/schedules/${encodeURIComponent(name)}/run-now`,
      typescript: `await client.runScheduleNow(${JSON.stringify(name)})`,
    },
    doing: `Running ${name}`,
    run: async () => {
      const job = await client.runScheduleNow(name)
      return { text: `Job …${shortId(job.id)} is enqueued.`, undo: cancelAct([job]) }
    },
  }
}

/** `leave` goes away from the page of the schedule, which would ask for it again once it is gone. */
export function deleteScheduleAct(name: string, leave: () => Promise<void>): Act {
  return {
    title: `Delete the schedule ${name}?`,
    effect: 'It fires no more. Jobs that it has made stay. This cannot be taken back.',
    confirm: 'Delete schedule',
    dangerous: true,
    code: {
      method: 'DELETE',
      path: `/schedules/${encodeURIComponent(name)}`,
      typescript: `await client.deleteSchedule(${JSON.stringify(name)})`,
    },
    doing: `Deleting the schedule ${name}`,
    run: async () => {
      await leave()
      await client.deleteSchedule(name)
      return { text: `The schedule ${name} is deleted.` }
    },
  }
}
