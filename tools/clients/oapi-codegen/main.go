// A merchant's program on the Go client that oapi-codegen makes of docs/openapi.json. It prints what it was answered.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	gateway "shop/gateway"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	withKey := gateway.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("GATEWAY_KEY"))
		return nil
	})
	client, err := gateway.NewClientWithResponses(os.Getenv("GATEWAY_URL"), withKey)
	must(err)
	ctx, id := context.Background(), os.Getenv("CHARGE_ID")

	charge, err := client.GetChargeWithResponse(ctx, id, &gateway.GetChargeParams{})
	must(err)
	listed, one := 0, int64(1)
	asked := gateway.ListChargesParams{Limit: &one}
	for {
		page, err := client.ListChargesWithResponse(ctx, &asked)
		must(err)
		listed += len(page.JSON200.Data)
		if page.JSON200.NextCursor == nil {
			break
		}
		asked.StartingAfter = page.JSON200.NextCursor
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	file, err := parts.CreateFormFile("file", "wages.csv")
	must(err)
	_, err = file.Write([]byte("phone,amount,reference\n0700000000,1000,wage-2\n"))
	must(err)
	must(parts.Close())
	wages := gateway.CreateBulkPayoutParams{XTimestamp: time.Now().Unix(), IdempotencyKey: "wages-oapi"}
	bulk, err := client.CreateBulkPayoutWithBodyWithResponse(ctx, &wages, parts.FormDataContentType(), &form)
	must(err)
	back := gateway.RefundChargeParams{XTimestamp: time.Now().Unix()}
	refund, err := client.RefundChargeWithResponse(ctx, id, &back, gateway.RefundCreate{})
	must(err)
	said, err := json.Marshal(map[string]any{
		"status": charge.JSON200.Status, "listed": listed, "bulk": bulk.JSON200.Accepted,
		"refund": refund.JSON202.Refund.Status, "amount": refund.JSON202.Refund.Amount,
	})
	must(err)
	fmt.Println(string(said))
}
