import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * The headers that helmet sets, with three differences from its defaults: nothing at all is loaded from other hosts;
 * requests are not upgraded to HTTPS, which a server on plain HTTP behind a proxy or on a laptop could not answer;
 * and HSTS speaks for this host alone and not for the whole domain that it may share with others.
 */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        fontSrc: ["'self'", 'data:'],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'"],
        scriptSrcAttr: ["'none'"],
        // Swagger UI styles its own elements.
        styleSrc: ["'self'", "'unsafe-inline'"],
      },
    },
    strictTransportSecurity: { includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  })
}
