CREATE TABLE "api_requests" (
	"id" bigserial NOT NULL,
	"customer_id" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"elapsed_ms" real NOT NULL,
	"request_id" text NOT NULL,
	CONSTRAINT "api_requests_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" bigserial NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"customer_id" bigint NOT NULL,
	"subject" text,
	"before" jsonb,
	"after" jsonb,
	"request_id" text,
	"channel" text DEFAULT 'service' NOT NULL,
	CONSTRAINT "audit_entries_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_personal" (
	"customer_id" bigint NOT NULL,
	"audit_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"address" text,
	CONSTRAINT "audit_personal_customer_id_audit_id_pk" PRIMARY KEY("customer_id","audit_id")
);
--> statement-breakpoint
CREATE TABLE "cards" (
	"id" bigserial NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"customer_id" bigint NOT NULL,
	"state" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"lease_until" timestamp with time zone,
	"leased_by" integer,
	"attempt" integer DEFAULT 0 NOT NULL,
	"retries" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"payment_method_id" text,
	"setup_intent_id" text,
	"provider_customer_id" text,
	"replaced_uuid" uuid,
	"fingerprint" text,
	"failure_code" text,
	"removal_key" "bytea",
	"last4" text,
	"brand" text,
	"funding" text,
	"address_country" text,
	"address_zip" text,
	"is_apple_pay_card" boolean DEFAULT false NOT NULL,
	"postal_code_check" text,
	"exp_month" smallint,
	"exp_year" smallint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cards_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "cards_uuid" UNIQUE("customer_id","uuid")
);
--> statement-breakpoint
CREATE TABLE "cities" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"county_name" text NOT NULL,
	"timezone" text NOT NULL,
	"month_starts" timestamp with time zone[],
	"base_price_cents" integer NOT NULL,
	"delivery_prices" text NOT NULL,
	"latitude" text NOT NULL,
	"longitude" text NOT NULL,
	"polygon_points" text NOT NULL,
	"return_ride_limit_on_mile" double precision NOT NULL,
	"is_active" boolean NOT NULL,
	"is_discharge_single_ride_active" boolean NOT NULL,
	"is_flat_app_active" boolean NOT NULL,
	"is_places_app_active" boolean NOT NULL,
	"is_delivery_app_active" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cities_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"city_id" bigint NOT NULL,
	"username" text NOT NULL,
	"email" text NOT NULL,
	"status" text DEFAULT 'Active' NOT NULL,
	"is_email_confirmed" boolean DEFAULT false NOT NULL,
	"client_ip" text DEFAULT '127.0.0.1' NOT NULL,
	"api_key" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"name" text NOT NULL,
	"country_code" text NOT NULL,
	"phone" text NOT NULL,
	"roles" text[] DEFAULT '{"ROLE_CUSTOMER"}' NOT NULL,
	"profile_type" text DEFAULT 'Business' NOT NULL,
	"erased_at" timestamp with time zone,
	"provider_customer_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customers_username_unique" UNIQUE("username"),
	CONSTRAINT "customers_api_key_unique" UNIQUE("api_key")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"customer_id" bigint NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"locked_until" timestamp with time zone NOT NULL,
	"locked_by" integer,
	"status" smallint,
	"body" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_customer_id_key_pk" PRIMARY KEY("customer_id","key")
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"id" bigserial NOT NULL,
	"customer_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"takes_effect_at" timestamp with time zone NOT NULL,
	"description" text NOT NULL,
	"reference" text NOT NULL,
	"reverses_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_entries_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "ledger_entries_reference" UNIQUE("customer_id","reference"),
	CONSTRAINT "ledger_entries_sign" CHECK ("ledger_entries"."reverses_id" is not null or "ledger_entries"."kind" = 'adjustment'
        or ("ledger_entries"."kind" = 'delivery' and "ledger_entries"."amount_cents" >= 0)
        or ("ledger_entries"."kind" in ('credit', 'payment') and "ledger_entries"."amount_cents" <= 0))
);
--> statement-breakpoint
CREATE TABLE "ledger_months" (
	"customer_id" bigint NOT NULL,
	"month" date NOT NULL,
	"amount_cents" numeric(40, 0) NOT NULL,
	"entries" bigint NOT NULL,
	CONSTRAINT "ledger_months_customer_id_month_pk" PRIMARY KEY("customer_id","month")
);
--> statement-breakpoint
CREATE TABLE "limit_counts" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payment_mode" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"mode" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_mode_one_row" CHECK ("payment_mode"."id")
);
--> statement-breakpoint
CREATE TABLE "provider_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reconciliations" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	"lease_until" timestamp with time zone NOT NULL,
	"leased_by" integer,
	"after_customer_id" bigint DEFAULT 0 NOT NULL,
	"counts" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secrets" (
	"id" bigserial NOT NULL,
	"customer_id" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "secrets_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "security_events" (
	"id" bigserial NOT NULL,
	"customer_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"event" text NOT NULL,
	"reason" text,
	"key_prefix" text,
	"address" text NOT NULL,
	"channel" text NOT NULL,
	"request_id" text,
	CONSTRAINT "security_events_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"customer_id" bigint NOT NULL,
	"id_hash" "bytea" NOT NULL,
	"secret_id" bigint NOT NULL,
	"device" text DEFAULT 'Unknown device' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sessions_customer_id_id_hash_pk" PRIMARY KEY("customer_id","id_hash")
);
--> statement-breakpoint
ALTER TABLE "api_requests" ADD CONSTRAINT "api_requests_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_personal" ADD CONSTRAINT "audit_personal_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cards" ADD CONSTRAINT "cards_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_city_id_cities_id_fk" FOREIGN KEY ("city_id") REFERENCES "public"."cities"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_reversed" FOREIGN KEY ("customer_id","reverses_id") REFERENCES "public"."ledger_entries"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_months" ADD CONSTRAINT "ledger_months_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_events" ADD CONSTRAINT "security_events_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_secret" FOREIGN KEY ("customer_id","secret_id") REFERENCES "public"."secrets"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_requests_at_index" ON "api_requests" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_entries_id_index" ON "audit_entries" USING btree ("id");--> statement-breakpoint
CREATE INDEX "audit_personal_addresses" ON "audit_personal" USING btree ("at") WHERE "audit_personal"."address" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "cards_operation" ON "cards" USING btree ("customer_id","token_hash") WHERE not ("cards"."state" in ('removing', 'removed') and "cards"."failure_code" is null);--> statement-breakpoint
CREATE UNIQUE INDEX "cards_one_per_number" ON "cards" USING btree ("customer_id","fingerprint") WHERE "cards"."state" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "cards_payment_method" ON "cards" USING btree ("customer_id","payment_method_id");--> statement-breakpoint
CREATE INDEX "cards_by_payment_method" ON "cards" USING btree ("payment_method_id");--> statement-breakpoint
CREATE INDEX "cards_by_setup_intent" ON "cards" USING btree ("setup_intent_id") WHERE "cards"."state" = 'authenticating';--> statement-breakpoint
CREATE INDEX "cards_by_provider_customer" ON "cards" USING btree ("provider_customer_id") WHERE "cards"."state" = 'active';--> statement-breakpoint
CREATE INDEX "cards_unfinished" ON "cards" USING btree ("state","next_attempt_at") WHERE "cards"."state" in ('pending', 'authenticating', 'removing');--> statement-breakpoint
CREATE INDEX "cards_failed" ON "cards" USING btree ("updated_at") WHERE "cards"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "customers_city_id_index" ON "customers" USING btree ("city_id");--> statement-breakpoint
CREATE UNIQUE INDEX "customers_by_provider_customer" ON "customers" USING btree ("provider_customer_id") WHERE "customers"."provider_customer_id" is not null;--> statement-breakpoint
CREATE INDEX "customers_at_provider" ON "customers" USING btree ("id") WHERE "customers"."provider_customer_id" is not null;--> statement-breakpoint
CREATE INDEX "customers_erased" ON "customers" USING btree ("id") WHERE "customers"."erased_at" is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_expires_at_index" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "ledger_entries_by_time" ON "ledger_entries" USING btree ("customer_id","takes_effect_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_reverses" ON "ledger_entries" USING btree ("customer_id","reverses_id") WHERE "ledger_entries"."reverses_id" is not null;--> statement-breakpoint
CREATE INDEX "provider_events_created_at_index" ON "provider_events" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "reconciliations_open" ON "reconciliations" USING btree (("finished_at" is null)) WHERE "reconciliations"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "reconciliations_started_at_index" ON "reconciliations" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "security_events_at_index" ON "security_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "sessions_expires_at_index" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE VIEW "public"."audit" AS (
  select e.id, e.at, case e.actor when 'customer' then 'customer:' || c.username else e.actor end as actor, e.action,
    e.customer_id, coalesce(e.subject, c.username) as subject,
    coalesce(p.before || e.before, e.before, p.before) as before,
    coalesce(p.after || e.after, e.after, p.after) as after, e.request_id, e.channel, p.address
  from audit_entries e
    left join customers c on c.id = e.customer_id
    left join audit_personal p on p.customer_id = e.customer_id and p.audit_id = e.id);