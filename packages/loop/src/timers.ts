/** The timers alone, for a thread that must stay small: nothing else of this package is loaded. */
export { type Alarm, createAlarm } from './alarm.ts'
export { createTicker, type Ticker, type TickerOptions, timerMsMax } from './ticker.ts'
