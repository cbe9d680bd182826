/** Requests that are valid, each in the fewest words. */
export const email = {
  kind: 'send_email',
  payload: { to: 'ada@example.com', subject: 'Hello', body: 'Hi.' },
} as const

export const webhook = (body: unknown) => ({
  kind: 'webhook_delivery',
  payload: { url: 'https://example.com/', body },
})
