import { kill } from './kill.ts'
import type { Row } from './row.ts'

/** The fault suite, in the order of its table. */
export const rows: readonly Row[] = [kill]
