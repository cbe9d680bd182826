import {
  Activity,
  CalendarClock,
  Gauge,
  Boxes,
  Bug,
  HeartPulse,
  Inbox,
  KeyRound,
  Layers,
  ListChecks,
  type LucideIcon,
  Mailbox,
  ScrollText,
  Server,
} from 'lucide-react'
import { type Permission, useMay } from './me.tsx'

export interface Place {
  readonly to:
    | '/'
    | '/jobs'
    | '/errors'
    | '/queues'
    | '/dead-letters'
    | '/limits'
    | '/schedules'
    | '/workers'
    | '/kinds'
    | '/operations'
    | '/audit'
    | '/keys'
    | '/system'
  readonly name: string
  readonly icon: LucideIcon
  readonly permission: Permission
  /** The key that opens the page after `g`. */
  readonly key: string
}

/** The pages, in the order of the rail. */
export const places: readonly Place[] = [
  { to: '/', name: 'Overview', icon: Activity, permission: 'jobs:read', key: 'o' },
  { to: '/jobs', name: 'Jobs', icon: Layers, permission: 'jobs:read', key: 'j' },
  { to: '/errors', name: 'Errors', icon: Bug, permission: 'jobs:read', key: 'e' },
  { to: '/queues', name: 'Queues', icon: Inbox, permission: 'jobs:read', key: 'q' },
  { to: '/limits', name: 'Limits', icon: Gauge, permission: 'ops:read', key: 'l' },
  { to: '/dead-letters', name: 'Dead letters', icon: Mailbox, permission: 'dead_letters:read', key: 'd' },
  { to: '/schedules', name: 'Schedules', icon: CalendarClock, permission: 'schedules:read', key: 's' },
  { to: '/workers', name: 'Workers', icon: Server, permission: 'ops:read', key: 'w' },
  { to: '/kinds', name: 'Kinds', icon: Boxes, permission: 'kinds:read', key: 'k' },
  { to: '/operations', name: 'Operations', icon: ListChecks, permission: 'jobs:read', key: 'm' },
  { to: '/audit', name: 'Audit log', icon: ScrollText, permission: 'audit:read', key: 'a' },
  { to: '/keys', name: 'API keys', icon: KeyRound, permission: 'keys:read', key: 'y' },
  { to: '/system', name: 'System', icon: HeartPulse, permission: 'ops:read', key: 'h' },
]

/** The pages that the caller has permission to see. */
export function usePlaces(): readonly Place[] {
  const may = useMay()
  return places.filter(({ permission }) => may(permission))
}
