/** W3C Trace Context, version 00 and whatever comes after it; ff is no version, and ids of zeros name nothing. */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether the text is a `traceparent` as https://www.w3.org/TR/trace-context/#traceparent-header has it. */
export function isTraceparent(text: string): boolean {
  return traceparentPattern.test(text)
}

/** The id of the trace (32 hexadecimal digits), which all of its logs share; undefined of what is no traceparent. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent !== null && isTraceparent(traceparent) ? traceparent.split('-')[1] : undefined
}
