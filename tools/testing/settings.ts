/** Settings of services under test. */

export const testSessionSecret = 'b7e3f0a95c2d481e96f4a0d7c83b512e';

/** For a service that does not connect to its database. */
export const settingsWithoutDatabase = {
  DATABASE_URL: 'postgres://127.0.0.1/none',
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  SESSION_SECRET: testSessionSecret,
  LOG_LEVEL: 'silent',
};
