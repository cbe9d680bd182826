-- Every inserted order enqueues a job in the same transaction, whichever program inserts it.
CREATE FUNCTION confirm_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM queue.enqueue(
    'confirm_order',
    jsonb_build_object('orderId', NEW.id, 'email', NEW.email),
    idempotency_key => 'confirm_order:' || NEW.id
  );
  RETURN NEW;
END $$;

CREATE TRIGGER confirm_order AFTER INSERT ON orders
  FOR EACH ROW EXECUTE FUNCTION confirm_order();
