import { useCallback, useRef, useState } from 'react'

interface Once {
  /** Whether the work is in progress. */
  readonly busy: boolean
  /** Starts the work, unless it is in progress. */
  readonly run: (work: () => Promise<void>) => Promise<void>
}

/** Work that is in progress once at most. The state of React changes too late for a second click in the same task. */
export function useOnce(): Once {
  const isBusy = useRef(false)
  const [busy, setBusy] = useState(false)
  const run = useCallback(async (work: () => Promise<void>): Promise<void> => {
    if (isBusy.current) return
    isBusy.current = true
    setBusy(true)
    try {
      await work()
    } finally {
      isBusy.current = false
      setBusy(false)
    }
  }, [])
  return { busy, run }
}
