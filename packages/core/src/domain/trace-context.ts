/** W3C Trace Context, version 00 and later. Version ff is invalid, and so are ids of zeros only. */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether the text is a `traceparent` as https://www.w3.org/TR/trace-context/#traceparent-header defines it. */
export function isTraceparent(text: string): boolean {
  return traceparentPattern.test(text)
}

/** The trace id of a `traceparent`, 32 hexadecimal digits; undefined where the text is not a `traceparent`. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent !== null && isTraceparent(traceparent) ? traceparent.split('-')[1] : undefined
}
