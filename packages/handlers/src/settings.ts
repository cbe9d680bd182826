/** The settings of the handlers: bounds, default, environment variable and description of each. Loads no handler. */
import { builtInJobs, InvalidInput } from '@queue/core'
import { parseOrThrow } from '@queue/core/internal'
import { assertArguments, listOf, object, text as textRule } from '@queue/loop/arguments'
import { z } from 'zod'

export type BuiltInKind = (typeof builtInJobs)[number]['kind']

const settingRules = { kinds: listOf(textRule), email: object, images: object }

/** The kinds that this package has handlers for. */
export const builtInKinds: readonly BuiltInKind[] = Object.freeze(builtInJobs.map(({ kind }) => kind))

/** One hour. No attempt of these handlers takes as long unless something is wrong. */
const timeoutMsMax = 3_600_000
const timeoutMs = z.int().min(1).max(timeoutMsMax)

const mebibyte = 1_048_576
const portMax = 65_535
/** The most hosts, ports or connections that a deployment may set, and the longest name of a region. */
const namedMax = 100

export const emailSettingsSchema = z.strictObject({
  /** The mail server, with credentials if it requires them. Required by `send_email`. */
  smtpUrl: z.string().refine(isSmtpUrl, 'is not a URL that begins with smtp:// or smtps://').optional().meta({
    variable: 'SMTP_URL',
    secret: true,
    accepted: 'smtp://user:password@host:587, or smtps://user:password@host:465',
    description: 'The mail server; required by send_email. smtps:// is encrypted from the first byte.',
  }),
  /** Whether smtp:// must be encrypted by STARTTLS before anything is sent. Default: required. */
  tls: z.enum(['required', 'off']).default('required').meta({
    variable: 'SMTP_TLS',
    description:
      'Encryption of smtp:// connections. required: STARTTLS with a certificate signed by a known authority. off: none.',
  }),
  /** A PEM file with the certificate authority of the mail server, if Node does not know it. */
  caFile: z.string().optional().meta({
    variable: 'SMTP_CA_FILE',
    accepted: 'the path of a PEM file',
    description: 'The certificate authority of the mail server, in place of the authorities that Node knows.',
  }),
  /** The sender of every message. Required by `send_email`. */
  from: z.email('is not an e-mail address').optional().meta({
    variable: 'EMAIL_FROM',
    accepted: 'an e-mail address',
    description:
      'The sender of every message; required by send_email. Its domain is also the domain of each Message-ID.',
  }),
  /** The most connections to the mail server. Default 5. */
  connections: z.int().min(1).max(namedMax).default(5).meta({
    variable: 'SMTP_CONNECTIONS',
    description: 'The most connections to the mail server that are kept.',
  }),
  /** Milliseconds that sending one message may take. Default 60 000. */
  timeoutMs: timeoutMs.default(60_000).meta({
    unit: 'ms',
    variable: 'SMTP_TIMEOUT_MS',
    description: 'How long sending one message may take, including the wait for a connection.',
  }),
})

export const imageSettingsSchema = z.strictObject({
  /** Where results are stored: `file:///folder` or `s3://bucket/prefix`. Required by `resize_image`. */
  results: z
    .string()
    .refine(isResultsUrl, 'is neither a file:// URL of a folder nor s3://bucket')
    .optional()
    .meta({
      variable: 'IMAGE_RESULTS',
      accepted: 'file:///folder, or s3://bucket/prefix',
      description:
        'Where resized images are stored; required by resize_image. Each image is named by the id of its job.',
    }),
  /** The address of an S3-compatible store other than that of AWS. */
  s3Endpoint: z.string().refine(isHttpUrl, 'is not an http or https URL').optional().meta({
    variable: 'IMAGE_S3_ENDPOINT',
    accepted: 'an http or https URL',
    description:
      'The address of an S3-compatible store; unset: AWS. The bucket is part of the path of each request.',
  }),
  /** The region of the bucket. Default us-east-1. */
  s3Region: z.string().min(1).max(namedMax).default('us-east-1').meta({
    variable: 'IMAGE_S3_REGION',
    accepted: 'the name of a region',
    description: 'The region of the bucket.',
  }),
  /** The id of an access key. Unset: the AWS SDK finds credentials itself, for example the role of the machine. */
  s3AccessKeyId: z.string().min(1).optional().meta({
    variable: 'IMAGE_S3_ACCESS_KEY_ID',
    description:
      'The id of an access key; unset: the AWS SDK finds credentials itself, for example the role of the machine.',
  }),
  /** The secret of that access key. */
  s3SecretAccessKey: z.string().min(1).optional().meta({
    variable: 'IMAGE_S3_SECRET_ACCESS_KEY',
    secret: true,
    description: 'The secret of that access key.',
  }),
  /** The most pixels of a source image. Default 50 million. */
  pixelsMax: z.int().min(1).max(268_402_689).default(50_000_000).meta({
    variable: 'IMAGE_PIXELS_MAX',
    description: 'The most pixels that a source image may have.',
  }),
  /** The most images that are resized at a time, each in a process of its own. Default 1. */
  processesMax: z.int().min(1).max(64).default(1).meta({
    variable: 'IMAGE_PROCESSES',
    description:
      'The most images that are resized at a time, each in a process of its own. Further ones wait. Each process uses all processors.',
  }),
  /** The most memory of each of these processes, in bytes. Default 256 MiB. */
  memoryBytesMax: z
    .int()
    .min(128 * mebibyte)
    .max(65_536 * mebibyte)
    .default(256 * mebibyte)
    .meta({
      variable: 'IMAGE_MEMORY_BYTES_MAX',
      description:
        'The most memory of each process that resizes images, in bytes. The job of an image that needs more fails. The memory ' +
        'of the worker must suffice for IMAGE_PROCESSES times this, besides its own.',
    }),
  /** The most bytes of a source image. Default 32 MiB. */
  sourceBytesMax: z
    .int()
    .min(1)
    .max(1_024 * mebibyte)
    .default(32 * mebibyte)
    .meta({
      variable: 'IMAGE_SOURCE_BYTES_MAX',
      description: 'The most bytes that a source image may have.',
    }),
  /** Milliseconds that fetching, resizing and storing may each take. Default 30 000. */
  timeoutMs: timeoutMs.default(30_000).meta({
    unit: 'ms',
    variable: 'IMAGE_TIMEOUT_MS',
    description: 'How long fetching, resizing and storing an image may each take.',
  }),
})

export const webhookSettingsSchema = z.strictObject({
  /** The file with the secrets of the receivers. Without it, only unsigned webhooks can be delivered. */
  secretsFile: z.string().min(1).optional().meta({
    variable: 'WEBHOOK_SECRETS_FILE',
    accepted: 'the path of a JSON file',
    description:
      'The file with the signing secrets of each receiver of webhooks; it is read again when it changes. Unset: no payload may name a secret.',
  }),
  /** Milliseconds that one delivery may take. Default 15 000. */
  timeoutMs: timeoutMs.default(15_000).meta({
    unit: 'ms',
    variable: 'WEBHOOK_TIMEOUT_MS',
    description: 'How long a receiver may take to answer, including the time to connect.',
  }),
})

const port = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ],
    'is not a port number',
  )
  .refine((number) => number >= 1 && number <= portMax, 'is not a port number')

export const outgoingSettingsSchema = z.strictObject({
  /** Hosts with their ports, `host:port`, that may be reached even if their address is not public. Default: none. */
  allow: z
    .array(
      z
        .string()
        .regex(/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i, 'is not of the form host:port')
        .toLowerCase(),
    )
    .max(namedMax)
    .prefault([])
    .meta({
      variable: 'OUTGOING_ALLOW',
      unset: 'none',
      accepted: `host:port, at most ${namedMax}, separated by commas, such as images.internal:8080`,
      description:
        'Hosts that webhooks and image sources may name even if their address is not public or their port is not in OUTGOING_PORTS.',
    }),
  /** The ports that webhooks and image sources may name. Default 80, 443, 8080, 8443. */
  ports: z
    .array(port)
    .min(1)
    .max(namedMax)
    .prefault([80, 443, 8_080, 8_443])
    .meta({
      variable: 'OUTGOING_PORTS',
      accepted: `ports, at most ${namedMax}, separated by commas`,
      description: 'The ports that webhooks and image sources may name.',
    }),
})

/** The settings of all handlers. */
export const handlerSettingsSchema = z.strictObject({
  /** The kinds that get a handler; the settings of other kinds are not required. Default: all four. */
  kinds: z
    .array(z.enum(builtInKinds))
    .min(1)
    .prefault([...builtInKinds]),
  email: emailSettingsSchema.prefault({}),
  images: imageSettingsSchema.prefault({}),
  webhooks: webhookSettingsSchema.prefault({}),
  outgoing: outgoingSettingsSchema.prefault({}),
})

export type HandlerSettings = z.output<typeof handlerSettingsSchema>
export type EmailSettings = z.output<typeof emailSettingsSchema>
export type ImageSettings = z.output<typeof imageSettingsSchema>
export type WebhookSettings = z.output<typeof webhookSettingsSchema>
export type OutgoingSettings = z.output<typeof outgoingSettingsSchema>

/** A required setting that is not set. */
export interface MissingSetting {
  readonly path: readonly string[]
  readonly message: string
}

/** The settings that a kind in `kinds` requires and that are not set. */
export function missingSettings(
  settings: Pick<HandlerSettings, 'kinds' | 'email' | 'images'>,
): MissingSetting[] {
  assertArguments('missingSettings', { settings: object }, [settings])
  const { kinds, email, images } = settings
  assertArguments('missingSettings', settingRules, [kinds, email, images])
  const requirements: readonly (readonly [BuiltInKind, readonly string[], unknown])[] = [
    ['send_email', ['email', 'smtpUrl'], email.smtpUrl],
    ['send_email', ['email', 'from'], email.from],
    ['resize_image', ['images', 'results'], images.results],
  ]
  return requirements
    .filter(([kind, , value]) => kinds.includes(kind) && value === undefined)
    .map(([kind, path]) => ({ path, message: `is not set, and ${kind} needs it` }))
}

/** The settings with their defaults. Throws `InvalidInput` (code `invalid_options`) with every issue. */
export function parseHandlerSettings(options: z.input<typeof handlerSettingsSchema>): HandlerSettings {
  const settings = parseOrThrow(handlerSettingsSchema, options, 'invalid_options')
  const issues = missingSettings(settings)
  if (issues.length === 0) return settings
  throw new InvalidInput(
    'invalid_options',
    issues.map(({ path, message }) => ({ path: path.map(String), message })),
  )
}

function isSmtpUrl(text: string): boolean {
  return URL.canParse(text) && /^smtps?:\/\/[^/?#]+\/?$/i.test(text)
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function isResultsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash } = new URL(text)
  if (search !== '' || hash !== '') return false
  return protocol === 'file:' ? hostname === '' : protocol === 's3:' && hostname !== ''
}
