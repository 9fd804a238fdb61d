import { Strategy } from 'passport-openidconnect';

/** A strategy for Passport: passport.use(scorehall). */
export const scorehall = new Strategy(
  {
    issuer: '@auth@',
    authorizationURL: '@auth@/oauth/authorize',
    tokenURL: '@auth@/oauth/token',
    userInfoURL: '@auth@/oauth/userinfo',
    clientID: '@client_id@',
    clientSecret: '@client_secret@',
    callbackURL: '@redirect@',
    scope: 'profile email',
    // The ID token has neither name nor e-mail address: read them from userinfo.
    skipUserProfile: false,
  },
  (issuer, profile, done) => done(null, profile),
);
