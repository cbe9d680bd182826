import { useSyncExternalStore } from 'react'

/** A setting that is stored in this browser. */
function createSetting<Value extends string>(name: string, initial: Value) {
  const listeners = new Set<() => void>()
  let value = (localStorage.getItem(name) as Value | null) ?? initial
  return {
    get: () => value,
    set: (next: Value) => {
      value = next
      localStorage.setItem(name, next)
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const zoneSetting = createSetting<'local' | 'utc'>('queue.zone', 'local')
const themeSetting = createSetting<'auto' | 'light' | 'dark'>('queue.theme', 'auto')
export const keysSetting = createSetting<'on' | 'off'>('queue.keys', 'on')
const pausedSetting = createSetting<'yes' | 'no'>('queue.paused', 'no')

/** The selected tenant of a user with several tenants; empty if none is selected. */
export const tenantSetting = createSetting<string>('queue.tenant', '')

themeSetting.subscribe(() => {
  document.documentElement.dataset['theme'] = themeSetting.get()
})

export function useZone() {
  return useSyncExternalStore(zoneSetting.subscribe, zoneSetting.get)
}

export function useTheme() {
  return useSyncExternalStore(themeSetting.subscribe, themeSetting.get)
}

export function useKeysSetting() {
  return useSyncExternalStore(keysSetting.subscribe, keysSetting.get)
}

export const isPaused = (): boolean => pausedSetting.get() === 'yes'

/** Whether live updates are paused. */
export function usePaused(): boolean {
  return useSyncExternalStore(pausedSetting.subscribe, pausedSetting.get) === 'yes'
}

export function togglePaused(): void {
  pausedSetting.set(isPaused() ? 'no' : 'yes')
}

export function toggleZone(): void {
  zoneSetting.set(zoneSetting.get() === 'utc' ? 'local' : 'utc')
}

export function nextTheme(): void {
  const order = ['auto', 'light', 'dark'] as const
  themeSetting.set(order[(order.indexOf(themeSetting.get()) + 1) % order.length] ?? 'auto')
}
