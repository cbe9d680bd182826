/** Which transactions had committed at a moment. */
export interface Snapshot {
  /** Whether this transaction had committed. It must have committed by now. */
  sees(xid: number): boolean
}

/** Reads the text of a `pg_snapshot`: the lowest transaction under way, the first one after all, and those under way. */
export function parseSnapshot(text: string): Snapshot {
  const [lowest = '', next = '', underWay = ''] = text.split(':')
  const running = new Set(underWay.split(',').map(Number))
  return { sees: (xid) => xid < Number(lowest) || (xid < Number(next) && !running.has(xid)) }
}
